import GRDB
import GRDBSQLite
import Glibc

/// The store's tables, and the check that a file has exactly these.
enum Schema {
    /// "DICT": identifies the file as one of this service, `PRAGMA application_id`.
    private static let applicationID = 0x4449_4354

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE client (
                        uid INTEGER NOT NULL CHECK (uid BETWEEN 0 AND 4294967295),
                        kind TEXT NOT NULL CHECK (kind IN ('flatpak', 'snap', 'app', 'executable')),
                        id TEXT NOT NULL CHECK (id <> ''),
                        microphone TEXT NOT NULL CHECK (microphone IN ('not-determined', 'granted', 'denied')),
                        speech TEXT NOT NULL CHECK (speech IN ('not-determined', 'granted', 'denied')),
                        checksum INTEGER NOT NULL,
                        lastUsed INTEGER,
                        PRIMARY KEY (uid, kind, id)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE decision (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        time INTEGER NOT NULL,
                        uid INTEGER NOT NULL,
                        kind TEXT NOT NULL,
                        id TEXT NOT NULL,
                        resource TEXT NOT NULL CHECK (resource IN ('microphone', 'speech')),
                        status TEXT NOT NULL CHECK (status IN ('not-determined', 'granted', 'denied')),
                        prompter TEXT NOT NULL
                    ) STRICT;
                    CREATE INDEX decisionByUser ON decision (uid, number);
                    """)
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        }
        migrator.registerMigration("2") { db in
            try db.execute(
                sql: """
                    CREATE TABLE route (
                        uid INTEGER NOT NULL CHECK (uid BETWEEN 0 AND 4294967295),
                        position INTEGER NOT NULL,
                        name TEXT NOT NULL CHECK (name <> ''),
                        description TEXT NOT NULL,
                        bus TEXT NOT NULL,
                        isSelected INTEGER NOT NULL CHECK (isSelected IN (0, 1)),
                        PRIMARY KEY (uid, position)
                    ) STRICT, WITHOUT ROWID
                    """)
        }
        migrator.registerMigration("3") { db in
            try db.execute(
                sql: """
                    ALTER TABLE client ADD COLUMN typing TEXT NOT NULL DEFAULT 'not-determined'
                        CHECK (typing IN ('not-determined', 'granted', 'denied'));
                    CREATE TABLE newDecision (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        time INTEGER NOT NULL,
                        uid INTEGER NOT NULL,
                        kind TEXT NOT NULL,
                        id TEXT NOT NULL,
                        resource TEXT NOT NULL CHECK (resource IN ('microphone', 'speech', 'typing')),
                        status TEXT NOT NULL CHECK (status IN ('not-determined', 'granted', 'denied')),
                        prompter TEXT NOT NULL
                    ) STRICT;
                    INSERT INTO newDecision SELECT * FROM decision;
                    DROP TABLE decision;
                    ALTER TABLE newDecision RENAME TO decision;
                    CREATE INDEX decisionByUser ON decision (uid, number);
                    """)
        }
        // Users' workers keep the chosen microphones, in files.
        migrator.registerMigration("4") { db in try db.execute(sql: "DROP TABLE route") }
        return migrator
    }

    /// The settings of each connection.
    static func configure(_ db: Database) throws {
        // One process has the file, so its cache is always valid.
        try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        // Code in a file, such as triggers, is not run.
        try db.execute(sql: "PRAGMA trusted_schema = OFF")
        try db.execute(sql: "PRAGMA cell_size_check = ON")
        _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
        // While one process has the file, a transaction ends by overwriting the journal's header, and FULL makes SQLite
        // wait until the disk has it. (A journal that is deleted after each transaction would need EXTRA.)
        try db.execute(sql: "PRAGMA synchronous = FULL")
    }

    /// Whether the file's write version is above the ones that SQLite has, 1 and 2
    /// (https://www.sqlite.org/fileformat.html, 1.3.3).
    private static func saysItIsNewer(_ file: String) -> Bool {
        guard let stream = fopen(file, "re") else { return false }
        defer { fclose(stream) }
        var header = [UInt8](repeating: 0, count: 20)
        return fread(&header, 1, header.count, stream) == header.count && header[18] > 2
    }

    /// Locks the file for this process, creates or updates the tables, and checks everything.
    static func prepare(_ database: DatabaseQueue, _ file: String) throws {
        try database.inDatabase { db in
            // SQLite opens read-only if the file cannot be opened for writing, or if its header says that a later
            // SQLite wrote it, which did not happen.
            guard sqlite3_db_readonly(db.sqliteConnection, "main") == 0 else {
                throw PermissionStoreError(
                    saysItIsNewer(file) ? .corrupt : .unavailable, file, reason: "it is read-only")
            }
            try db.inTransaction(.exclusive) {
                let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
                let id = try Int.fetchOne(db, sql: "PRAGMA application_id")
                guard isEmpty || id == applicationID else {
                    throw PermissionStoreError(.corrupt, file, reason: "another program's database")
                }
                // Twice, because SQLite reports a read error of the disk as damage, and the error may be temporary.
                if try fault(in: db) != nil, let fault = try fault(in: db) {
                    throw PermissionStoreError(.corrupt, file, reason: fault)
                }
                guard try !migrator.hasBeenSuperseded(db) else { throw PermissionStoreError(.newer, file) }
                return .commit
            }
        }
        try migrator.migrate(database)
        let model = try DatabaseQueue()
        try migrator.migrate(model)
        guard try database.inDatabase(tables) == model.inDatabase(tables) else {
            throw PermissionStoreError(
                .corrupt, file, reason: "it has other tables than this service creates")
        }
    }

    /// The first error that SQLite's own check finds; nil if there is none.
    private static func fault(in db: Database) throws -> String? {
        let report = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
        return report == ["ok"] ? nil : report.first ?? ""
    }

    /// The statements that created the tables, by name.
    private static func tables(_ db: Database) throws -> [Row] {
        try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name")
    }
}
