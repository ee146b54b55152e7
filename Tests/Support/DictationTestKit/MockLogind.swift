public import DBus

/// A logind that the test controls.
public final class MockLogind: Sendable {
    public let mock: DBusMock

    private static let manager: ObjectPath = "/org/freedesktop/login1"
    private static let managerInterface: InterfaceName = "org.freedesktop.login1.Manager"
    private static let sessionInterface: InterfaceName = "org.freedesktop.login1.Session"
    private static let userInterface: InterfaceName = "org.freedesktop.login1.User"

    public init(on bus: String, by connection: Connection) async throws {
        mock = try await DBusMock(
            "org.freedesktop.login1", ["--template", "logind"], on: bus, by: connection)
    }

    private static func path(of session: String) throws -> ObjectPath {
        guard let path = ObjectPath("\(manager)/session/\(session)") else {
            throw TestFailure("no path: \(session)")
        }
        return path
    }

    private static func path(of uid: UInt32) throws -> ObjectPath {
        guard let path = ObjectPath("\(manager)/user/\(uid)") else { throw TestFailure("no path: \(uid)") }
        return path
    }

    /// Adds a session, and the user if they are not there.
    public func addSession(_ name: String, of uid: UInt32, isActive: Bool = true) async throws {
        try await mock.steer(
            Self.manager, "AddSession",
            [.string(name), .string("seat0"), .uint32(uid), .string("user\(uid)"), .bool(isActive)])
        try await mock.emit(
            Self.manager, Self.managerInterface, "SessionNew",
            [.string(name), .objectPath(Self.path(of: name))])
    }

    /// Makes a session the user's display session.
    public func elect(_ session: String, for uid: UInt32) async throws {
        let display: Value = .structure([.string(session), .objectPath(try Self.path(of: session))])
        try await mock.set(Self.path(of: uid), Self.userInterface, "Display", display)
    }

    /// Removes a session.
    public func removeSession(_ name: String, of uid: UInt32) async throws {
        let path = try Self.path(of: name)
        let none: Value = .structure([.string(""), .objectPath(.root)])
        try await mock.set(Self.path(of: uid), Self.userInterface, "Display", none)
        try await mock.set(Self.path(of: uid), Self.userInterface, "Sessions", .array([], of: "(so)"))
        try await mock.steer(Self.manager, "RemoveObject", [.objectPath(path)])
        try await mock.emit(
            Self.manager, Self.managerInterface, "SessionRemoved", [.string(name), .objectPath(path)])
    }

    public func setActive(_ isActive: Bool, _ session: String) async throws {
        try await mock.set(Self.path(of: session), Self.sessionInterface, "Active", .bool(isActive))
    }

    /// The session's LockedHint.
    public func setLockedHint(_ isLocked: Bool, _ session: String) async throws {
        try await mock.call(Self.path(of: session), Self.sessionInterface, "SetLockedHint", [.bool(isLocked)])
    }

    /// The signal of `loginctl lock-session`.
    public func lock(_ session: String) async throws {
        try await mock.call(Self.path(of: session), Self.sessionInterface, "Lock")
    }

    public func unlock(_ session: String) async throws {
        try await mock.call(Self.path(of: session), Self.sessionInterface, "Unlock")
    }

    /// Signals that the machine is about to sleep, or has woken up.
    public func prepareForSleep(_ isBeginning: Bool) async throws {
        try await mock.emit(Self.manager, Self.managerInterface, "PrepareForSleep", [.bool(isBeginning)])
    }

    /// The inhibitors in force: what, who and mode, as in `sleep Dictation delay`.
    public func inhibitors() async throws -> [String] {
        let reply = try await mock.call(Self.manager, Self.managerInterface, "ListInhibitors")
        guard case .array(let inhibitors, _) = reply.first else { throw TestFailure("no list: \(reply)") }
        return inhibitors.map { inhibitor in
            guard case .structure(let members) = inhibitor else { return "\(inhibitor)" }
            let texts = members.compactMap { String($0) }
            return texts.indices.filter { $0 != 2 }.map { texts[$0] }.joined(separator: " ")
        }
    }
}
