// Written by packaging/generate from dbus/org.example.Dictation.TypingControl.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation.TypingControl over a connection. Calls made on the event
/// loop's actor are sent in that order.
public struct DictationTypingControlProxy: Sendable {
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
        path: ObjectPath = DictationTypingControlInterface.path, flags: Message.Flags = []
    ) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.flags = flags
    }

    /// See ``DictationTypingControlRequest/finish``.
    public nonisolated(nonsending) func finish(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.finish, [], timeout: timeout)
    }

    /// See ``DictationTypingControlRequest/pause``.
    public nonisolated(nonsending) func pause(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.pause, [], timeout: timeout)
    }

    /// See ``DictationTypingControlRequest/resume``.
    public nonisolated(nonsending) func resume(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.resume, [], timeout: timeout)
    }

    /// See ``DictationTypingControlRequest/commit``.
    public nonisolated(nonsending) func commit(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.commit, [], timeout: timeout)
    }

    /// See ``DictationTypingControlRequest/undo``.
    public nonisolated(nonsending) func undo(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.undo, [], timeout: timeout)
    }

    private nonisolated(nonsending) func call(
        _ method: DictationTypingControlMethod, _ body: [Value], timeout: Duration?
    ) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationTypingControlInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
    }
}
