import DictationCore
import GRDB

/// A row of the table `route`: a microphone that a user chose. In the same file as the decisions, because one process
/// has one file, and both must be on the disk before the reply.
struct RouteRow: FetchableRecord, PersistableRecord {
    static let databaseTableName = "route"

    let uid: UInt32
    /// The position in the order of choice.
    let position: Int
    let source: Source
    let isSelected: Bool

    init(uid: UInt32, position: Int, source: Source, isSelected: Bool) {
        self.uid = uid
        self.position = position
        self.source = source
        self.isSelected = isSelected
    }

    init(row: Row) throws {
        uid = try row.decode(UInt32.self, forColumn: "uid")
        position = try row.decode(Int.self, forColumn: "position")
        source = Source(
            name: NodeName(try row.decode(String.self, forColumn: "name")),
            description: try row.decode(String.self, forColumn: "description"),
            bus: try row.decode(String.self, forColumn: "bus"))
        isSelected = try row.decode(Bool.self, forColumn: "isSelected")
    }

    func encode(to container: inout PersistenceContainer) {
        container["uid"] = uid
        container["position"] = position
        container["name"] = source.name.rawValue
        container["description"] = source.description
        container["bus"] = source.bus
        container["isSelected"] = isSelected
    }

    /// Replaces a user's rows.
    static func replace(_ choices: RouteChoices, ofUser uid: UInt32, in db: Database) throws {
        try db.execute(sql: "DELETE FROM route WHERE uid = ?", arguments: [uid])
        for (position, source) in choices.chosen.enumerated() {
            try RouteRow(
                uid: uid, position: position, source: source, isSelected: source.name == choices.selected
            ).insert(db)
        }
    }

    /// All users' choices.
    static func choices(_ db: Database) throws -> [UInt32: RouteChoices] {
        var choices: [UInt32: RouteChoices] = [:]
        for row in try fetchAll(db, sql: "SELECT * FROM route ORDER BY uid, position") {
            choices[row.uid, default: RouteChoices()].chosen.append(row.source)
            if row.isSelected { choices[row.uid]?.selected = row.source.name }
        }
        return choices
    }
}
