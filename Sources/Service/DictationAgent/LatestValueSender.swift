import EventLoop
import Logging

/// Sends a value to the service after each registration of the agent and after each change. One call is in progress at a
/// time; the latest value follows it.
@EventLoopActor
final class LatestValueSender<Value: Equatable & Sendable> {
    private let name: String
    private let logger: Logger
    private let send: @EventLoopActor (Value) async throws -> Void
    /// Nil until the first ``update(_:)``.
    private var latest: Value?
    /// The value that was last sent in the present registration.
    private var sent: Value?
    private var isRegistered = false
    private var isSending = false

    /// - Parameter name: of the value, for the log.
    init(_ name: String, logger: Logger, send: @escaping @EventLoopActor (Value) async throws -> Void) {
        self.name = name
        self.logger = logger
        self.send = send
    }

    func update(_ value: Value) {
        latest = value
        sendLatest()
    }

    /// Call when the agent was registered, and when a registration has ended.
    func registrationChanged(_ isRegistered: Bool) {
        self.isRegistered = isRegistered
        sent = nil
        sendLatest()
    }

    private func sendLatest() {
        guard isRegistered, !isSending, let latest, latest != sent else { return }
        isSending = true
        sent = latest
        Task {
            do {
                try await send(latest)
            } catch {
                // It is sent again after the next registration or change.
                logger.notice("\(name) could not be sent to the service", metadata: ["why": "\(error)"])
            }
            isSending = false
            sendLatest()
        }
    }
}
