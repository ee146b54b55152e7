import DictationCore
import GRDB

/// A row of the table `decision`.
struct DecisionRow: FetchableRecord, PersistableRecord {
    static let databaseTableName = "decision"
    /// Maximum number of stored decisions of each user.
    static let limit = 1000

    var decision: PermissionDecision

    init(_ decision: PermissionDecision) {
        self.decision = decision
    }

    init(row: Row) throws {
        guard let kind = Identity.Kind(rawValue: try row.decode(String.self, forColumn: "kind")),
            let resource = Resource(rawValue: try row.decode(String.self, forColumn: "resource")),
            let status = PermissionStatus(rawValue: try row.decode(String.self, forColumn: "status"))
        else { throw ClientRow.Damage() }
        decision = PermissionDecision(
            identity: Identity(
                uid: try row.decode(UInt32.self, forColumn: "uid"), kind: kind,
                id: try row.decode(String.self, forColumn: "id")),
            resource: resource, status: status,
            prompter: try row.decode(String.self, forColumn: "prompter"),
            time: try row.decode(Int64.self, forColumn: "time"))
    }

    func encode(to container: inout PersistenceContainer) {
        container["time"] = decision.time
        container["uid"] = decision.identity.uid
        container["kind"] = decision.identity.kind.rawValue
        container["id"] = decision.identity.id.rawValue
        container["resource"] = decision.resource.rawValue
        container["status"] = decision.status.rawValue
        container["prompter"] = decision.prompter
    }

    /// Deletes rows beyond the limit.
    static func trim(_ db: Database, uid: UInt32) throws {
        try db.execute(
            sql: """
                DELETE FROM decision WHERE uid = ?1 AND number <= (
                    SELECT number FROM decision WHERE uid = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
                """, arguments: [uid, limit])
    }

    /// A user's decisions, the latest first.
    static func latest(_ db: Database, uid: UInt32, limit: Int) throws -> [PermissionDecision] {
        try fetchAll(
            db, sql: "SELECT * FROM decision WHERE uid = ? ORDER BY number DESC LIMIT ?",
            arguments: [uid, max(0, limit)]
        ).map(\.decision)
    }
}
