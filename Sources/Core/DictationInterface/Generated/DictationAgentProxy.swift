// Written by packaging/generate from dbus/org.example.Dictation.Agent.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation.Agent over a connection. Calls made on the event
/// loop's actor are sent in that order.
public struct DictationAgentProxy: Sendable {
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
        path: ObjectPath, flags: Message.Flags = []
    ) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.flags = flags
    }

    /// See ``DictationAgentRequest/requestPermission(cookie:client:resources:details:)``.
    public nonisolated(nonsending) func requestPermission(
        cookie: UInt64, client: [BusText: Value], resources: [BusText], details: [BusText: Value],
        timeout: Duration? = Self.usualTimeout
    ) async throws -> String {
        let reply = try await call(
            .requestPermission, [Value(cookie), Value(client), Value(resources), Value(details)],
            timeout: timeout)
        return try reply.decoded(as: String.self)
    }

    /// See ``DictationAgentRequest/cancel(cookie:)``.
    public nonisolated(nonsending) func cancel(
        cookie: UInt64, timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.cancel, [Value(cookie)], timeout: timeout)
    }

    /// See ``DictationAgentRequest/release``.
    public nonisolated(nonsending) func release(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.release, [], timeout: timeout)
    }

    private nonisolated(nonsending) func call(
        _ method: DictationAgentMethod, _ body: [Value], timeout: Duration?
    ) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationAgentInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
    }
}
