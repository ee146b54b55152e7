// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation.Permissions over a connection. Calls made on the event
/// loop's actor are sent in that order.
public struct DictationPermissionsProxy: Sendable {
    public let connection: MessageChannel
    /// A well-known or unique name, or the other end of a connection without a bus.
    public let destination: BusName
    public let path: ObjectPath
    /// Of every call.
    public let flags: Message.Flags
    /// The default time that calls wait for their reply. With nil they wait until the bus is gone.
    public static let usualTimeout: Duration = .seconds(25)

    public init(
        connection: MessageChannel, destination: BusName,
        path: ObjectPath = DictationPermissionsInterface.path, flags: Message.Flags = []
    ) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.flags = flags
    }

    /// See ``DictationPermissionsRequest/list``.
    public nonisolated(nonsending) func list(
        timeout: Duration? = Self.usualTimeout
    ) async throws -> [[BusText: Value]] {
        let reply = try await call(.list, [], timeout: timeout)
        return try reply.decoded(as: [[BusText: Value]].self)
    }

    /// See ``DictationPermissionsRequest/set(client:resource:status:)``.
    public nonisolated(nonsending) func set(
        client: [BusText: Value], resource: BusText, status: BusText, timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.set, [Value(client), Value(resource), Value(status)], timeout: timeout)
    }

    /// See ``DictationPermissionsRequest/forget(client:)``.
    public nonisolated(nonsending) func forget(
        client: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.forget, [Value(client)], timeout: timeout)
    }

    /// See ``DictationPermissionsRequest/check(client:)``.
    public nonisolated(nonsending) func check(
        client: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws -> [BusText: String] {
        let reply = try await call(.check, [Value(client)], timeout: timeout)
        return try reply.decoded(as: [BusText: String].self)
    }

    /// See ``DictationPermissionsRequest/log(limit:)``.
    public nonisolated(nonsending) func log(
        limit: UInt32, timeout: Duration? = Self.usualTimeout
    ) async throws -> [[BusText: Value]] {
        let reply = try await call(.log, [Value(limit)], timeout: timeout)
        return try reply.decoded(as: [[BusText: Value]].self)
    }

    private nonisolated(nonsending) func call(
        _ method: DictationPermissionsMethod, _ body: [Value], timeout: Duration?
    ) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationPermissionsInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
    }
}
