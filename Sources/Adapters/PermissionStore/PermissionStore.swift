public import DictationCore
import EventLoop
import GRDB

/// The users' decisions about applications, on disk.
///
/// A decision is on the disk when the call that stores it returns. Reads come from memory, because only this process
/// has the file open. A file with invalid content is moved away and replaced by an empty one, so that it grants
/// nothing.
public final class PermissionStore: Sendable {
    /// The new path of a file that was moved away, because it was invalid when the store was opened. For the log.
    public let setAside: String?

    private let file: String
    private let database: DatabaseQueue
    /// Written after the database; read from any thread.
    private let records: Lock<[Identity: PermissionRecord]>

    /// Maximum number of applications for each user.
    private static let maximumOfClients = 1000
    /// Maximum length of an identity and a prompter in bytes. A path has at most 4096.
    private static let maximumOfText = 4096

    /// Opens or creates the store. Blocks.
    /// - Parameter folder: its path; it becomes readable by this user alone. The folder above must be trusted.
    public init(folder path: String) throws(PermissionStoreError) {
        let folder = try StoreFolder(path: path)
        try folder.prepareFiles()
        file = folder.file
        let stored: Contents
        do throws(PermissionStoreError) {
            (database, stored) = try Self.open(folder.file)
            setAside = nil
        } catch {
            guard error.kind == .corrupt else { throw error }
            setAside = try folder.setAside()
            try folder.prepareFiles()
            (database, stored) = try Self.open(folder.file)
        }
        records = Lock(stored.records)
    }

    /// Closes the file after the pending writes. Blocks. Nothing can be stored afterwards.
    ///
    /// Without this call, the file is closed at some time after the last reference to the store is released.
    public func close() throws(PermissionStoreError) {
        do {
            try database.close()
        } catch {
            throw PermissionStoreError(error, file)
        }
    }
}

// MARK: - Reading

extension PermissionStore {
    /// The decision about an application. Never `restricted`, which only the administrator sets.
    public func permission(of identity: Identity) -> Permission {
        records.withLock { $0[identity]?.permission } ?? .notDetermined
    }

    /// All records of a user.
    public func records(ofUser uid: UInt32) -> [PermissionRecord] {
        records.withLock { $0.values.filter { $0.identity.uid == uid } }
            .sorted {
                ($0.identity.kind.rawValue, $0.identity.id) < ($1.identity.kind.rawValue, $1.identity.id)
            }
    }

    /// A user's decisions, the latest first.
    public func decisions(
        ofUser uid: UInt32, limit: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws(PermissionStoreError) -> [PermissionDecision] {
        try await onDatabase { db in
            try DecisionRow.latest(db, uid: uid, limit: limit)
        }
    }
}

// MARK: - Writing

extension PermissionStore {
    /// Stores a user's decision. It is on the disk when this returns; if it throws, nothing has changed.
    /// - Parameters:
    ///   - status: anything but `restricted`.
    ///   - identity: anything but `unknown`.
    ///   - prompter: what the user answered in, for the audit log.
    ///   - time: in seconds since 1970.
    public func set(
        _ status: PermissionStatus, for resources: [Resource], of identity: Identity, by prompter: String,
        at time: Int64, isolation: isolated (any Actor)? = #isolation
    ) async throws(PermissionStoreError) {
        try Self.check(status, of: identity, by: prompter)
        try await onDatabase { [self] db in
            let old = records.withLock { $0[identity] }
            var record = old ?? PermissionRecord(identity: identity, permission: .notDetermined)
            for resource in resources { record.permission[resource] = status }
            if old == nil {
                let count = records.withLock { $0.values.count { $0.identity.uid == identity.uid } }
                guard count < Self.maximumOfClients else {
                    throw PermissionStoreError(.full, file, reason: "\(count) of user \(identity.uid)")
                }
            }
            try db.inTransaction {
                try ClientRow(record).insert(db)
                try log(resources, status, of: identity, by: prompter, at: time, in: db)
                return .commit
            }
            records.withLock { [record] in $0[identity] = record }
        }
    }

    /// Throws if ``set(_:for:of:by:at:isolation:)`` would refuse these.
    public static func check(
        _ status: PermissionStatus, of identity: Identity, by prompter: String
    ) throws(PermissionStoreError) {
        guard status != .restricted else {
            throw PermissionStoreError(
                .invalid, status.rawValue, reason: "only the administrator can restrict")
        }
        guard identity.kind != .unknown, (1...maximumOfText).contains(identity.id.rawValue.utf8.count),
            prompter.utf8.count <= maximumOfText
        else {
            throw PermissionStoreError(
                .invalid, "\(identity.kind.rawValue) '\(identity.id)'", reason: "the application is unknown")
        }
    }

    /// Deletes the record of an application. It is deleted on the disk when this returns.
    /// - Returns: whether there was a record.
    @discardableResult
    public func forget(
        _ identity: Identity, by prompter: String, at time: Int64,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(PermissionStoreError) -> Bool {
        try await onDatabase { [self] db in
            guard let record = records.withLock({ $0[identity] }) else { return false }
            let typing: [Resource] = record.permission.typing == .notDetermined ? [] : [.typing]
            try db.inTransaction {
                try db.execute(
                    sql: "DELETE FROM client WHERE uid = ? AND kind = ? AND id = ?",
                    arguments: [identity.uid, identity.kind.rawValue, identity.id.rawValue])
                try log(
                    Resource.dictation + typing, .notDetermined, of: identity, by: prompter, at: time, in: db)
                return .commit
            }
            records.withLock { $0[identity] = nil }
            return true
        }
    }

    /// Stores the time of an application's dictation, if it has a record.
    /// - Parameter time: in seconds since 1970.
    public func recordUse(
        of identity: Identity, at time: Int64, isolation: isolated (any Actor)? = #isolation
    ) async throws(PermissionStoreError) {
        try await onDatabase { [self] db in
            guard var record = records.withLock({ $0[identity] }) else { return }
            record.lastUsed = time
            try ClientRow(record).update(db)
            records.withLock { [record] in $0[identity] = record }
        }
    }

    private func log(
        _ resources: [Resource], _ status: PermissionStatus, of identity: Identity, by prompter: String,
        at time: Int64, in db: Database
    ) throws {
        for resource in resources {
            let decision = PermissionDecision(
                identity: identity, resource: resource, status: status, prompter: prompter, time: time)
            try DecisionRow(decision).insert(db)
        }
        try DecisionRow.trim(db, uid: identity.uid)
    }
}

// MARK: - The database

extension PermissionStore {
    private struct Contents {
        var records: [Identity: PermissionRecord] = [:]
    }

    private static func open(
        _ file: String
    ) throws(PermissionStoreError) -> (DatabaseQueue, Contents) {
        var configuration = Configuration()
        configuration.label = "permissions"
        // The previous process may still be ending.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase(Schema.configure)
        do {
            let database = try DatabaseQueue(path: file, configuration: configuration)
            try Schema.prepare(database, file)
            var contents = Contents()
            for row in try database.inDatabase({ try ClientRow.fetchAll($0) }) {
                guard contents.records.updateValue(row.record, forKey: row.record.identity) == nil else {
                    throw ClientRow.Damage()
                }
            }
            return (database, contents)
        } catch {
            throw PermissionStoreError(error, file)
        }
    }

    /// Runs `body` on the database's queue, in the order of the calls.
    ///
    /// Not with GRDB's async methods: those are cancelled with their task, but an answer must be stored anyway.
    private func onDatabase<Success: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (Database) throws -> Success
    ) async throws(PermissionStoreError) -> Success {
        let result = await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { [file] db in
                continuation.resume(
                    returning: Result { try body(db) }.mapError { PermissionStoreError($0, file) })
            }
        }
        return try result.get()
    }
}
