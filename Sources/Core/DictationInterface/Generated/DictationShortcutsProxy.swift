// Written by packaging/generate from dbus/private/org.example.Dictation.Shortcuts.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation.Shortcuts over a connection. Calls made on the event
/// loop's actor are sent in that order.
public struct DictationShortcutsProxy: Sendable {
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
        path: ObjectPath = DictationShortcutsInterface.path, flags: Message.Flags = []
    ) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.flags = flags
    }

    /// See ``DictationShortcutsRequest/get``.
    public nonisolated(nonsending) func get(
        timeout: Duration? = Self.usualTimeout
    ) async throws -> (bound: [BusText: String], failure: String) {
        let reply = try await call(.get, [], timeout: timeout)
        return try reply.decoded(as: [BusText: String].self, String.self)
    }

    private nonisolated(nonsending) func call(
        _ method: DictationShortcutsMethod, _ body: [Value], timeout: Duration?
    ) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationShortcutsInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
    }
}
