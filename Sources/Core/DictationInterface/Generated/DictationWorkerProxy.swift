// Written by packaging/generate from dbus/private/org.example.Dictation.Peer.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation.Worker over a connection. Calls made on the event
/// loop's actor are sent in that order.
public struct DictationWorkerProxy: Sendable {
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
        path: ObjectPath = DictationWorkerInterface.path, flags: Message.Flags = []
    ) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.flags = flags
    }

    /// See ``DictationWorkerRequest/client(client:status:)``.
    public nonisolated(nonsending) func client(
        client: [BusText: Value], status: [BusText: BusText], timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.client, [Value(client), Value(status)], timeout: timeout)
    }

    /// See ``DictationWorkerRequest/permission(client:status:)``.
    public nonisolated(nonsending) func permission(
        client: [BusText: Value], status: [BusText: BusText], timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.permission, [Value(client), Value(status)], timeout: timeout)
    }

    /// See ``DictationWorkerRequest/identify(pid:)``.
    public nonisolated(nonsending) func identify(
        pid: UInt32, timeout: Duration? = Self.usualTimeout
    ) async throws -> [BusText: Value] {
        let reply = try await call(.identify, [Value(pid)], timeout: timeout)
        return try reply.decoded(as: [BusText: Value].self)
    }

    /// See ``DictationWorkerRequest/allowedOnce(resources:)``.
    public nonisolated(nonsending) func allowedOnce(
        resources: [BusText], timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.allowedOnce, [Value(resources)], timeout: timeout)
    }

    /// See ``DictationWorkerRequest/vanished``.
    public nonisolated(nonsending) func vanished(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.vanished, [], timeout: timeout)
    }

    /// See ``DictationWorkerRequest/restore(numbers:owners:)``.
    public nonisolated(nonsending) func restore(
        numbers: [UInt64], owners: [BusText], timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.restore, [Value(numbers), Value(owners)], timeout: timeout)
    }

    /// See ``DictationWorkerRequest/ask(cookie:client:resources:)``.
    public nonisolated(nonsending) func ask(
        cookie: UInt64, client: [BusText: Value], resources: [BusText], timeout: Duration? = Self.usualTimeout
    ) async throws -> String {
        let reply = try await call(.ask, [Value(cookie), Value(client), Value(resources)], timeout: timeout)
        return try reply.decoded(as: String.self)
    }

    /// See ``DictationWorkerRequest/cancelQuestion(cookie:)``.
    public nonisolated(nonsending) func cancelQuestion(
        cookie: UInt64, timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.cancelQuestion, [Value(cookie)], timeout: timeout)
    }

    /// See ``DictationWorkerRequest/end``.
    public nonisolated(nonsending) func end(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.end, [], timeout: timeout)
    }

    private nonisolated(nonsending) func call(
        _ method: DictationWorkerMethod, _ body: [Value], timeout: Duration?
    ) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationWorkerInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
    }
}
