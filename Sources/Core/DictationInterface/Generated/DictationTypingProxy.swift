// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation.Typing over a connection. Calls made on the event
/// loop's actor are sent in that order.
public struct DictationTypingProxy: Sendable {
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
        path: ObjectPath = DictationTypingInterface.path, flags: Message.Flags = []
    ) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.flags = flags
    }

    /// See ``DictationTypingRequest/beginField(options:)``.
    public nonisolated(nonsending) func beginField(
        options: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws -> (field: UInt64, details: [BusText: Value]) {
        let reply = try await call(.beginField, [Value(options)], timeout: timeout)
        return try reply.decoded(as: UInt64.self, [BusText: Value].self)
    }

    /// See ``DictationTypingRequest/show(field:text:)``.
    public nonisolated(nonsending) func show(
        field: UInt64, text: BusText, timeout: Duration? = Self.usualTimeout
    ) async throws -> Bool {
        let reply = try await call(.show, [Value(field), Value(text)], timeout: timeout)
        return try reply.decoded(as: Bool.self)
    }

    /// See ``DictationTypingRequest/insert(field:text:)``.
    public nonisolated(nonsending) func insert(
        field: UInt64, text: BusText, timeout: Duration? = Self.usualTimeout
    ) async throws -> (outcome: String, details: [BusText: Value]) {
        let reply = try await call(.insert, [Value(field), Value(text)], timeout: timeout)
        return try reply.decoded(as: String.self, [BusText: Value].self)
    }

    /// See ``DictationTypingRequest/replaceLast(field:text:)``.
    public nonisolated(nonsending) func replaceLast(
        field: UInt64, text: BusText, timeout: Duration? = Self.usualTimeout
    ) async throws -> (outcome: String, details: [BusText: Value]) {
        let reply = try await call(.replaceLast, [Value(field), Value(text)], timeout: timeout)
        return try reply.decoded(as: String.self, [BusText: Value].self)
    }

    /// See ``DictationTypingRequest/release(field:)``.
    public nonisolated(nonsending) func release(
        field: UInt64, timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.release, [Value(field)], timeout: timeout)
    }

    /// See ``DictationTypingRequest/toggle(options:)``.
    public nonisolated(nonsending) func toggle(
        options: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws -> Bool {
        let reply = try await call(.toggle, [Value(options)], timeout: timeout)
        return try reply.decoded(as: Bool.self)
    }

    /// See ``DictationTypingRequest/finish``.
    public nonisolated(nonsending) func finish(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.finish, [], timeout: timeout)
    }

    /// See ``DictationTypingRequest/pause``.
    public nonisolated(nonsending) func pause(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.pause, [], timeout: timeout)
    }

    /// See ``DictationTypingRequest/resume``.
    public nonisolated(nonsending) func resume(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.resume, [], timeout: timeout)
    }

    /// See ``DictationTypingRequest/commit``.
    public nonisolated(nonsending) func commit(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.commit, [], timeout: timeout)
    }

    /// See ``DictationTypingRequest/undo``.
    public nonisolated(nonsending) func undo(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.undo, [], timeout: timeout)
    }

    private nonisolated(nonsending) func call(
        _ method: DictationTypingMethod, _ body: [Value], timeout: Duration?
    ) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationTypingInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
    }
}
