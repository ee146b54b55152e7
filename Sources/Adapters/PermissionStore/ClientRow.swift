import DictationCore
import GRDB

/// A row of the table `client`.
///
/// The checksum detects what SQLite does not: a byte that changed within a value, which could give a grant to another
/// name.
struct ClientRow: FetchableRecord, PersistableRecord {
    static let databaseTableName = "client"
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .abort)

    var record: PermissionRecord

    init(_ record: PermissionRecord) {
        self.record = record
    }

    init(row: Row) throws {
        let kind = try row.decode(String.self, forColumn: "kind")
        let microphone = try row.decode(String.self, forColumn: "microphone")
        let speech = try row.decode(String.self, forColumn: "speech")
        let typing = try row.decode(String.self, forColumn: "typing")
        let checksum = try row.decode(Int64.self, forColumn: "checksum")
        guard let kind = Identity.Kind(rawValue: kind),
            let microphone = PermissionStatus(rawValue: microphone),
            let speech = PermissionStatus(rawValue: speech),
            let typing = PermissionStatus(rawValue: typing)
        else { throw Damage() }
        record = PermissionRecord(
            identity: Identity(
                uid: try row.decode(UInt32.self, forColumn: "uid"), kind: kind,
                id: try row.decode(String.self, forColumn: "id")),
            permission: Permission(microphone: microphone, speech: speech, typing: typing),
            lastUsed: try row.decode(Int64?.self, forColumn: "lastUsed"))
        guard self.checksum == checksum else { throw Damage() }
    }

    func encode(to container: inout PersistenceContainer) {
        container["uid"] = record.identity.uid
        container["kind"] = record.identity.kind.rawValue
        container["id"] = record.identity.id.rawValue
        container["microphone"] = record.permission.microphone.rawValue
        container["speech"] = record.permission.speech.rawValue
        container["typing"] = record.permission.typing.rawValue
        container["checksum"] = checksum
        container["lastUsed"] = record.lastUsed
    }

    /// Of the client's identity and decisions; FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv.
    private var checksum: Int64 {
        var fields = [
            "\(record.identity.uid)", record.identity.kind.rawValue, record.identity.id.rawValue,
            record.permission.microphone.rawValue, record.permission.speech.rawValue,
        ]
        // Rows from before there was this permission have none.
        if record.permission.typing != .notDetermined { fields.append(record.permission.typing.rawValue) }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in fields.joined(separator: "\0").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return Int64(bitPattern: hash)
    }

    struct Damage: Error, CustomStringConvertible {
        var description: String { "a row that this service has not written" }
    }
}
