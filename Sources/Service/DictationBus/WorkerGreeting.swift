package import DBus
package import DictationCore
import DictationInterface

/// What a worker says of itself in Hello.
package struct WorkerGreeting {
    package let uid: UInt32
    /// The highest number of a session that it knows.
    package let lastSession: UInt64
    package let owners: [Owner]

    package struct Owner: Hashable {
        package let name: BusName
        package let identity: Identity
    }

    /// Both ends are built together.
    package static let version: UInt32 = 1
    /// Sessions of one user, and as many as the last service left.
    private static let mostOwners = 512

    package init(_ details: [BusText: Value]) throws(DBusError) {
        guard details[WorkerKey.protocol].flatMap({ UInt32($0) }) == Self.version else {
            throw .invalidArgs("This broker speaks protocol \(Self.version).")
        }
        guard let uid = details[WorkerKey.uid].flatMap({ UInt32($0) }),
            let session = details[WorkerKey.session].flatMap({ UInt64($0) }),
            case .array(let owners, "(sss)")? = details[WorkerKey.owners], owners.count <= Self.mostOwners
        else { throw .invalidArgs("Hello lacks a value, or has too many owners.") }
        self.uid = uid
        lastSession = session
        self.owners = owners.compactMap { Owner($0, uid: uid) }
    }
}

extension WorkerGreeting.Owner {
    /// Nil if it is not valid.
    fileprivate init?(_ value: Value, uid: UInt32) {
        guard case .structure(let fields) = value, fields.count == 3, case .string(let name) = fields[0],
            let name = BusName(name), name.isUnique, case .string(let kind) = fields[1],
            let kind = Identity.Kind(kind), case .string(let id) = fields[2]
        else { return nil }
        self.init(name: name, identity: Identity(uid: uid, kind: kind, id: id.string))
    }
}
