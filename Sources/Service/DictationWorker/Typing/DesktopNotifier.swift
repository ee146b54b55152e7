import DBus
import EventLoop
import Logging

/// Shows notifications on the desktop, about text that nobody else reports.
@EventLoopActor
final class DesktopNotifier {
    private let connection: Connection
    private let logger: Logger
    /// The last notice without a text, which the next one replaces.
    private var shown: UInt32 = 0
    /// Notifications are shown in order.
    private var last: Task<Void, Never>?

    /// Longer texts are shown in several notifications, because desktops cut them. In characters.
    private static let limit = 1000

    /// - Parameter connection: to the bus of the desktop session.
    init(_ connection: Connection, logger: Logger) {
        self.connection = connection
        self.logger = logger
    }

    /// - Parameters:
    ///   - title: in the user's language.
    ///   - body: shown as it is, without markup.
    func show(_ title: String, _ body: String = "") {
        last = Task { [last] in
            await last?.value
            do {
                var rest = body[...]
                repeat {
                    try await notify(title, rest.prefix(Self.limit))
                    rest = rest.dropFirst(Self.limit)
                } while !rest.isEmpty
            } catch {
                logger.notice("the desktop shows no notification", metadata: ["why": "\(error)"])
            }
        }
    }

    private func notify(_ title: String, _ body: Substring) async throws {
        let escaped = String(body).replacing("&", with: "&amp;")
            .replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        let reply = try await connection.call(
            destination: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
            interface: "org.freedesktop.Notifications", member: "Notify",
            [
                Value("Dictation"), Value(body.isEmpty ? shown : 0), Value("audio-input-microphone"),
                Value(title),
                Value(escaped),
                Value([] as [BusText]), Value([:] as [BusText: Value]), Value(Int32(-1)),
            ], timeout: .seconds(2))
        let id = try reply.decoded(as: UInt32.self)
        if body.isEmpty { shown = id }
    }
}
