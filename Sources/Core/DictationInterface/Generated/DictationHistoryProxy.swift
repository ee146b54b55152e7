// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation.History over a connection. Calls made on the event
/// loop's actor are sent in that order.
public struct DictationHistoryProxy: Sendable {
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
        path: ObjectPath = DictationHistoryInterface.path, flags: Message.Flags = []
    ) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.flags = flags
    }

    /// See ``DictationHistoryRequest/list(options:)``.
    public nonisolated(nonsending) func list(
        options: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws -> (entries: [[BusText: Value]], lifetime: UInt32) {
        let reply = try await call(.list, [Value(options)], timeout: timeout)
        return try reply.decoded(as: [[BusText: Value]].self, UInt32.self)
    }

    /// See ``DictationHistoryRequest/get(id:)``.
    public nonisolated(nonsending) func get(
        id: UInt64, timeout: Duration? = Self.usualTimeout
    ) async throws -> [BusText: Value] {
        let reply = try await call(.get, [Value(id)], timeout: timeout)
        return try reply.decoded(as: [BusText: Value].self)
    }

    /// See ``DictationHistoryRequest/forget(ids:)``.
    public nonisolated(nonsending) func forget(
        ids: [UInt64], timeout: Duration? = Self.usualTimeout
    ) async throws -> UInt32 {
        let reply = try await call(.forget, [Value(ids)], timeout: timeout)
        return try reply.decoded(as: UInt32.self)
    }

    /// See ``DictationHistoryRequest/clear``.
    public nonisolated(nonsending) func clear(
        timeout: Duration? = Self.usualTimeout
    ) async throws -> UInt32 {
        let reply = try await call(.clear, [], timeout: timeout)
        return try reply.decoded(as: UInt32.self)
    }

    /// See ``DictationHistoryRequest/again(id:options:)``.
    public nonisolated(nonsending) func again(
        id: UInt64, options: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws -> [BusText: Value] {
        let reply = try await call(.again, [Value(id), Value(options)], timeout: timeout)
        return try reply.decoded(as: [BusText: Value].self)
    }

    /// See ``DictationHistoryRequest/keep(kept:)``.
    public nonisolated(nonsending) func keep(
        kept: Bool, timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.keep, [Value(kept)], timeout: timeout)
    }

    private nonisolated(nonsending) func call(
        _ method: DictationHistoryMethod, _ body: [Value], timeout: Duration?
    ) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationHistoryInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
    }
}
