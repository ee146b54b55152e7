// Written by packaging/generate from dbus/private/org.example.Dictation.Peer.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation.Broker over a connection. Calls made on the event
/// loop's actor are sent in that order.
public struct DictationBrokerProxy: Sendable {
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
        path: ObjectPath = DictationBrokerInterface.path, flags: Message.Flags = []
    ) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.flags = flags
    }

    /// See ``DictationBrokerRequest/hello(worker:)``.
    public nonisolated(nonsending) func hello(
        worker: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws -> [BusText: Value] {
        let reply = try await call(.hello, [Value(worker)], timeout: timeout)
        return try reply.decoded(as: [BusText: Value].self)
    }

    /// See ``DictationBrokerRequest/needed(needed:)``.
    public nonisolated(nonsending) func needed(
        needed: Bool, timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.needed, [Value(needed)], timeout: timeout)
    }

    /// See ``DictationBrokerRequest/sessions(numbers:owners:)``.
    public nonisolated(nonsending) func sessions(
        numbers: [UInt64], owners: [BusText], timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.sessions, [Value(numbers), Value(owners)], timeout: timeout)
    }

    /// See ``DictationBrokerRequest/ping(client:)``.
    public nonisolated(nonsending) func ping(
        client: BusText, timeout: Duration? = Self.usualTimeout
    ) async throws -> Bool {
        let reply = try await call(.ping, [Value(client)], timeout: timeout)
        return try reply.decoded(as: Bool.self)
    }

    /// See ``DictationBrokerRequest/bye``.
    public nonisolated(nonsending) func bye(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.bye, [], timeout: timeout)
    }

    private nonisolated(nonsending) func call(
        _ method: DictationBrokerMethod, _ body: [Value], timeout: Duration?
    ) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationBrokerInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
    }
}
