package import DBus
package import DictationCore
import DictationInterface

/// What a worker says of itself in Hello.
package struct WorkerGreeting {
    package let uid: UInt32
    /// The highest number of a session that it knows, below ``sessionLimit``.
    package let lastSession: UInt64
    package let owners: [Owner]
    /// Those whose texts the history has.
    package let applications: [Identity]

    package struct Owner: Hashable {
        package let name: BusName
        package let identity: Identity
    }

    /// Both ends are built together.
    package static let version: UInt32 = 2
    /// No journal has a session with this number or a higher one.
    package static let sessionLimit: UInt64 = 1 << 62
    /// Sessions of one user, and as many as the last service left.
    private static let mostOwners = 512
    private static let mostApplications = History.countLimit

    package init(_ details: [BusText: Value]) throws(DBusError) {
        guard details[WorkerKey.protocol].flatMap({ UInt32($0) }) == Self.version else {
            throw .invalidArgs("This broker speaks protocol \(Self.version).")
        }
        guard let uid = details[WorkerKey.uid].flatMap({ UInt32($0) }),
            let session = details[WorkerKey.session].flatMap({ UInt64($0) }), session < Self.sessionLimit,
            case .array(let owners, "(sss)")? = details[WorkerKey.owners], owners.count <= Self.mostOwners,
            case .array(let applications, "(ss)")? = details[WorkerKey.applications],
            applications.count <= Self.mostApplications
        else { throw .invalidArgs("Hello lacks a value, or one is too large.") }
        self.uid = uid
        lastSession = session
        self.owners = owners.compactMap { Owner($0, uid: uid) }
        self.applications = applications.compactMap { value in
            guard case .structure(let fields) = value, fields.count == 2, case .string(let kind) = fields[0],
                let kind = Identity.Kind(kind), case .string(let id) = fields[1]
            else { return nil }
            return Identity(uid: uid, kind: kind, id: id.string)
        }
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
