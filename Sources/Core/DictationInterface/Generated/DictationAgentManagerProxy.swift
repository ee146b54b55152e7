// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation.AgentManager over a connection. Calls made on the event
/// loop's actor are sent in that order.
public struct DictationAgentManagerProxy: Sendable {
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
        path: ObjectPath = DictationAgentManagerInterface.path, flags: Message.Flags = []
    ) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.flags = flags
    }

    /// See ``DictationAgentManagerRequest/register(path:capabilities:options:)``.
    public nonisolated(nonsending) func register(
        path: ObjectPath, capabilities: [BusText], options: [BusText: Value],
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.register, [Value(path), Value(capabilities), Value(options)], timeout: timeout)
    }

    /// See ``DictationAgentManagerRequest/unregister(path:)``.
    public nonisolated(nonsending) func unregister(
        path: ObjectPath, timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.unregister, [Value(path)], timeout: timeout)
    }

    private nonisolated(nonsending) func call(
        _ method: DictationAgentManagerMethod, _ body: [Value], timeout: Duration?
    ) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationAgentManagerInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
    }
}
