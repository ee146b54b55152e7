import GRDB

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

    /// Takes the file for this process alone, makes or updates the tables, and checks everything.
    static func prepare(_ database: DatabaseQueue, _ file: String) throws {
        try database.inDatabase { db in
            try db.inTransaction(.exclusive) {
                let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
                let id = try Int.fetchOne(db, sql: "PRAGMA application_id")
                guard isEmpty || id == applicationID else {
                    throw PermissionStoreError(.corrupt, file, reason: "another program's database")
                }
                let faults = try String.fetchAll(db, sql: "PRAGMA integrity_check")
                guard faults == ["ok"] else {
                    throw PermissionStoreError(.corrupt, file, reason: faults.first ?? "")
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

    /// The statements that made the tables, by name.
    private static func tables(_ db: Database) throws -> [Row] {
        try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name")
    }
}
