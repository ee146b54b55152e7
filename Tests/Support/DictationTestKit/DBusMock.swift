public import DBus
import EventLoop
import Glibc

/// A service of python-dbusmock on a private bus. Ends with this object.
public final class DBusMock: Sendable {
    public let process: ChildProcess
    /// The connection that controls it.
    public let connection: Connection
    private let name: BusName

    /// Stops it, so that calls are not answered.
    public func pause() throws { try process.stop() }

    public func resume() { process.send(SIGCONT) }

    private static let interface: InterfaceName = "org.freedesktop.DBus.Mock"

    /// Starts the service and waits for its name.
    /// - Parameters:
    ///   - arguments: of `python3 -m dbusmock`.
    ///   - address: the bus, used as both the session's and the system's.
    ///   - user: the user it runs as; nil for the user of the tests.
    public init(
        _ name: BusName, _ arguments: [String], on address: String, by connection: Connection,
        as user: TestUser? = nil
    ) async throws {
        self.name = name
        self.connection = connection
        // Debian's package is for this interpreter, whatever is first in the path.
        let command = ["/usr/bin/python3", "-m", "dbusmock"] + arguments
        process = try ChildProcess(
            user?.command(command) ?? command,
            adding: ["DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address])
        let process = process
        try await eventually("\(name) is on the bus") {
            guard process.isRunning else {
                throw TestFailure("python3-dbusmock does not run:\n\(process.text(of: .errors))")
            }
            return try await Self.processOfOwner(of: name, by: connection) == process.pid
        }
    }

    /// Nil if the name has no owner. One that was killed keeps its name for a moment.
    private static func processOfOwner(of name: BusName, by connection: Connection) async throws -> Int32? {
        guard let owner = try await connection.owner(of: name) else { return nil }
        do {
            let process = try await connection.call(
                destination: .bus, path: .bus, interface: .bus, member: "GetConnectionUnixProcessID",
                [.string(owner.rawValue)]
            ).decoded(as: UInt32.self)
            return Int32(process)
        } catch let error as DBusError where error.name == .nameHasNoOwner {
            return nil
        }
    }

    /// Calls a method of the service.
    @discardableResult
    public func call(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ body: [Value] = []
    ) async throws -> [Value] {
        try await connection.call(destination: name, path: path, interface: interface, member: member, body)
    }

    /// Calls a method of the mock itself.
    @discardableResult
    public func steer(
        _ path: ObjectPath, _ member: MemberName, _ body: [Value] = []
    ) async throws -> [Value] {
        try await call(path, Self.interface, member, body)
    }

    /// Changes a property and sends PropertiesChanged.
    public func set(
        _ path: ObjectPath, _ interface: InterfaceName, _ property: String, _ value: Value
    ) async throws {
        try await call(
            path, .properties, "Set", [.string(interface.rawValue), .string(property), .variant(value)])
    }

    public func emit(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ body: [Value] = []
    ) async throws {
        try await steer(
            path, "EmitSignal",
            [
                .string(interface.rawValue), .string(member.rawValue),
                .string(body.map(\.signature.rawValue).joined()),
                .array(body.map { .variant($0) }, of: "v"),
            ])
    }

    /// Kills the service. Returns when its name is free.
    public func kill() async throws {
        process.kill()
        try await eventually("\(name) is gone") { try await connection.owner(of: name) == nil }
    }
}
