// Written by packaging/generate from dbus/org.example.Dictation.Fields.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation.Fields over a connection. Calls made on the event
/// loop's actor are sent in that order.
public struct DictationFieldsProxy: Sendable {
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
        path: ObjectPath = DictationFieldsInterface.path, flags: Message.Flags = []
    ) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.flags = flags
    }

    /// See ``DictationFieldsRequest/open``.
    public nonisolated(nonsending) func open(
        timeout: Duration? = Self.usualTimeout
    ) async throws -> [BusText: Value] {
        let reply = try await call(.open, [], timeout: timeout)
        return try reply.decoded(as: [BusText: Value].self)
    }

    /// See ``DictationFieldsRequest/edit(visit:edits:texts:numbers:)``.
    public nonisolated(nonsending) func edit(
        visit: UInt64, edits: [BusText], texts: [BusText], numbers: [UInt64],
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(
            .edit, [Value(visit), Value(edits), Value(texts), Value(numbers)], timeout: timeout)
    }

    /// See ``DictationFieldsRequest/close``.
    public nonisolated(nonsending) func close(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.close, [], timeout: timeout)
    }

    private nonisolated(nonsending) func call(
        _ method: DictationFieldsMethod, _ body: [Value], timeout: Duration?
    ) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationFieldsInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
    }
}
