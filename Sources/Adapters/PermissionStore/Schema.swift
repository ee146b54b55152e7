import GRDB
import GRDBSQLite
import Glibc

/// The store's tables, and how to tell that a file holds these and nothing else.
enum Schema {
    /// "DICT": marks the file as one of this service, `PRAGMA application_id`.
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
        return migrator
    }

    /// How each connection works.
    static func configure(_ db: Database) throws {
        // One process at a time: it knows what is stored without looking.
        try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        // Nothing that a file brings along is run.
        try db.execute(sql: "PRAGMA trusted_schema = OFF")
        try db.execute(sql: "PRAGMA cell_size_check = ON")
        _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
        // While the file is one process's alone, a change ends by overwriting the journal's header, and FULL makes
        // SQLite wait for the disk to have it. (For a journal that is deleted after each change EXTRA would be needed.)
        try db.execute(sql: "PRAGMA synchronous = FULL")
    }

    /// By its write version, which SQLite itself has at 1 or 2 (https://www.sqlite.org/fileformat.html, 1.3.3).
    private static func saysItIsNewer(_ file: String) -> Bool {
        guard let stream = fopen(file, "re") else { return false }
        defer { fclose(stream) }
        var header = [UInt8](repeating: 0, count: 20)
        return fread(&header, 1, header.count, stream) == header.count && header[18] > 2
    }

    /// Takes the file for this process alone, makes or updates the tables, and checks everything.
    static func prepare(_ database: DatabaseQueue, _ file: String) throws {
        try database.inDatabase { db in
            // SQLite falls back to this when the file cannot be opened for writing, or says of itself that it was
            // written by a later SQLite, which ours was not.
            guard sqlite3_db_readonly(db.sqliteConnection, "main") == 0 else {
                throw PermissionStoreError(
                    saysItIsNewer(file) ? .corrupt : .unavailable, file, reason: "it can only be read")
            }
            try db.inTransaction(.exclusive) {
                let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
                let id = try Int.fetchOne(db, sql: "PRAGMA application_id")
                guard isEmpty || id == applicationID else {
                    throw PermissionStoreError(.corrupt, file, reason: "another program's database")
                }
                // Twice: SQLite reports what the disk failed to give as damage, and the disk may have failed once.
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
            throw PermissionStoreError(.corrupt, file, reason: "other tables than this service makes")
        }
    }

    /// The first thing that is wrong with the file, by SQLite's own check; nil if nothing is.
    private static func fault(in db: Database) throws -> String? {
        let report = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
        return report == ["ok"] ? nil : report.first ?? ""
    }

    /// The statements that made the tables, by name.
    private static func tables(_ db: Database) throws -> [Row] {
        try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name")
    }
}
