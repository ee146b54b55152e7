import DBus
import EventLoop

/// Shows notifications on the desktop, for a program without a terminal.
@EventLoopActor
final class DesktopNotifier {
    private let connection: Connection
    /// One notification replaces the one before it.
    private var shown: UInt32 = 0

    /// Longer texts are cut.
    private static let limit = 2000

    private init(_ connection: Connection) {
        self.connection = connection
    }

    /// Nil if the session has no bus.
    static func connect() async -> DesktopNotifier? {
        guard let connection = try? await Connection(to: .session) else { return nil }
        return DesktopNotifier(connection)
    }

    /// - Parameter body: shown as it is, without markup.
    /// - Throws: the error of the desktop, which may have no notifications.
    func show(_ title: String, _ body: String = "") async throws {
        let escaped = String(body.prefix(Self.limit)).replacing("&", with: "&amp;")
            .replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        let reply = try await connection.call(
            destination: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
            interface: "org.freedesktop.Notifications", member: "Notify",
            [
                Value("Dictation"), Value(shown), Value("audio-input-microphone"), Value(title),
                Value(escaped),
                Value([] as [BusText]), Value([:] as [BusText: Value]), Value(Int32(-1)),
            ], timeout: .seconds(2))
        shown = try reply.decoded(as: UInt32.self)
    }
}
