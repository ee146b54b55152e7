internal import DBus
internal import EventLoop

/// Calls to logind.
struct LoginManager {
    static let busName: BusName = "org.freedesktop.login1"
    static let path: ObjectPath = "/org/freedesktop/login1"
    static let interface: InterfaceName = "org.freedesktop.login1.Manager"
    static let sessionInterface: InterfaceName = "org.freedesktop.login1.Session"
    private static let userInterface: InterfaceName = "org.freedesktop.login1.User"

    let connection: Connection
    /// Timeout of calls.
    let timeout: Duration

    /// A user and their main session: the one on their display, if there is one.
    struct User: Hashable {
        var path: ObjectPath
        var session: Session?
    }

    /// The present state of a session.
    struct Session: Hashable {
        var path: ObjectPath
        var isActive: Bool
        var isLocked: Bool
    }

    /// Nil if logind does not know the user, who then has no session and no lingering processes.
    func user(_ uid: UInt32) async throws -> User? {
        guard let path = try await paths(ofUser: uid).first else { return nil }
        do {
            let properties = try await properties(of: path, Self.userInterface)
            return User(path: path, session: try await session(of: properties))
        } catch let error as DBusError where error.saysUnknown {
            // The user has just logged out.
            return nil
        }
    }

    private func paths(ofUser uid: UInt32) async throws -> [ObjectPath] {
        let reply = try await call(Self.path, Self.interface, "ListUsers", [])
        guard case .array(let users, _) = reply.first else { return [] }
        return users.compactMap { user in
            guard case .structure(let members) = user, members.first == .uint32(uid) else { return nil }
            return members.last.flatMap { ObjectPath($0) }
        }
    }

    private func session(of user: [BusText: Value]) async throws -> Session? {
        if let display = Self.paths(user["Display"]).first { return try await session(display).session }
        // Some versions of logind do not choose a display session.
        for path in Self.paths(user["Sessions"]) {
            let (session, role) = try await session(path)
            // Other classes are greeters and background jobs.
            if role == "user" { return session }
        }
        return nil
    }

    private func session(_ path: ObjectPath) async throws -> (session: Session?, role: String?) {
        do {
            let properties = try await properties(of: path, Self.sessionInterface)
            let session = Session(
                path: path, isActive: properties["Active"].flatMap { Bool($0) } ?? false,
                isLocked: properties["LockedHint"].flatMap { Bool($0) } ?? false)
            return (session, properties["Class"].flatMap { String($0) })
        } catch let error as DBusError where error.saysUnknown {
            // The session has just ended.
            return (nil, nil)
        }
    }

    /// Whether a user has a session on a seat of this machine.
    func hasLocalSession(_ uid: UInt32) async throws -> Bool {
        guard let user = try await paths(ofUser: uid).first else { return false }
        do {
            for path in Self.paths(try await properties(of: user, Self.userInterface)["Sessions"]) {
                let session = try await properties(of: path, Self.sessionInterface)
                let isRemote = session["Remote"].flatMap { Bool($0) } ?? true
                guard case .structure(let seat) = session["Seat"], !isRemote,
                    session["Class"] == .string("user")
                else { continue }
                // A session without a screen has no seat.
                let isDesktop = ["wayland", "x11"].contains { session["Type"] == .string($0) }
                if seat.first != .string("") || isDesktop { return true }
            }
        } catch let error as DBusError where error.saysUnknown {
            // The user has just logged out.
        }
        return false
    }

    func isPreparingForSleep() async throws -> Bool {
        let property: [Value] = [.string(Self.interface.rawValue), .string("PreparingForSleep")]
        let value = try await call(Self.path, .properties, "Get", property).decoded(as: Value.self)
        return Bool(value) ?? false
    }

    /// Delays sleep until the descriptor is closed, at most for logind's `InhibitDelayMaxSec`.
    func delaySleep(because reason: String) async throws -> Descriptor {
        try await call(
            Self.path, Self.interface, "Inhibit",
            [.string("sleep"), .string("Dictation"), .string(reason), .string("delay")]
        ).decoded(as: Descriptor.self)
    }

    private func properties(of path: ObjectPath, _ interface: InterfaceName) async throws -> [BusText: Value]
    {
        try await call(path, .properties, "GetAll", [.string(interface.rawValue)])
            .decoded(as: [BusText: Value].self)
    }

    private func call(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ body: [Value]
    ) async throws -> [Value] {
        try await connection.call(
            destination: Self.busName, path: path, interface: interface, member: member, body,
            timeout: timeout)
    }

    /// The paths in a `(so)` or an `a(so)`. `/` means none.
    private static func paths(_ value: Value?) -> [ObjectPath] {
        switch value {
        case .structure(let members): members.compactMap { ObjectPath($0) }.filter { $0 != .root }
        case .array(let elements, _): elements.flatMap { paths($0) }
        default: []
        }
    }
}

extension DBusError {
    /// Whether the error says that there is no such user or session.
    fileprivate var saysUnknown: Bool {
        [.unknownObject, .unknownInterface, .unknownMethod].contains(name)
    }

    /// Whether the error says that logind is not running. Its start will be noticed.
    var saysAbsent: Bool { [.serviceUnknown, .nameHasNoOwner].contains(name) }
}
