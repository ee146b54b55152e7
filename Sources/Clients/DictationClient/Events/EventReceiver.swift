import DBus
import DictationInterface
import EventLoop

/// Receives the service's signals and tracks whether it is on the bus.
@EventLoopActor
final class EventReceiver {
    private let proxy: DictationProxy
    private let connection: Connection
    private var hub = EventHub()
    private var subscription: [BusText: Value]?
    private var agent: AgentRegistration?
    /// Renews subscriptions and registrations after the service has come back.
    private var renewal: Task<Void, Never>?
    /// Looks for sessions of a service that has left the bus.
    private var search: Task<Void, Never>?

    nonisolated init(proxy: DictationProxy, connection: Connection) {
        self.proxy = proxy
        self.connection = connection
    }

    /// Signals and changes of the name's owner are handled in the order of arrival.
    func begin() async throws {
        try await connection.listen(
            MatchRule(sender: proxy.destination, path: proxy.path, interface: DictationInterface.name),
            finish: { [weak self] in self?.connectionLost() }
        ) { [weak self] message in
            guard let signal = DictationSignal(message) else { return }
            self?.receive(signal)
        }
        try await connection.listen(
            MatchRule(
                sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged",
                arguments: [0: proxy.destination.rawValue])
        ) { [weak self] message in
            guard
                let (_, old, new) = try? message.body.decoded(
                    as: String.self, String.self, String.self)
            else { return }
            if !old.isEmpty { self?.serviceVanished() }
            if !new.isEmpty { self?.serviceAppeared() }
        }
    }

    /// Ends all sequences of events.
    func end() async {
        hub.end(throwing: nil)
        renewal?.cancel()
        await renewal?.value
        search?.cancel()
        await search?.value
    }

    private func connectionLost() {
        hub.end(
            throwing: DictationError(
                .disconnected, name: "org.freedesktop.DBus.Error.Disconnected",
                message: "The connection to the bus is lost."))
    }

    func queue(for scope: EventHub.Scope, survivesRestart: Bool = false) -> EventQueue {
        hub.addQueue(for: scope, survivesRestart: survivesRestart)
    }

    /// The queue of a Start that returned the number `session`.
    ///
    /// If the service left the bus during the call, the session may belong to the service that left, to the same one
    /// after it came back, or to the next: GetSession tells.
    func name(_ queue: EventQueue, _ session: UInt64) async {
        while !hub.narrow(queue, to: session) {
            guard await runs(session) else {
                return hub.endSession(of: queue, throwing: Self.vanished)
            }
        }
    }

    private func runs(_ session: UInt64) async -> Bool {
        guard let details = try? await proxy.getSession() else { return false }
        let status = SessionStatus(details)
        return status.session == session && status.isOwner
    }

    /// Renews the subscription whenever the service comes back.
    func remember(_ options: [BusText: Value]) { subscription = options }

    /// Registers again whenever the service comes back.
    func remember(_ registration: AgentRegistration) { agent = registration }

    func forgetAgent() { agent = nil }

    private static let vanished = DictationError(
        .serviceVanished, message: "The dictation service has ended, and the session with it.")

    private func receive(_ signal: DictationSignal) {
        if case .stateChanged(let session, _, let reason, _) = signal, reason == Self.restarted,
            hub.follows(session)
        {
            lookForSessions()
        }
        hub.send(SessionEvent(signal))
    }

    /// The reason in StateChanged of a session that has returned.
    private static let restarted = "service-restarted"

    /// The sessions may have ended. The process that has the sessions of a user can fail while the service keeps its name: then
    /// a session that returns says so, before any text.
    private func lookForSessions() {
        hub.endSessions(throwing: Self.vanished)
        search?.cancel()
        guard hub.hasSessionsInDoubt else { return }
        search = Task { await findSession() }
    }

    private func serviceVanished() {
        agent?.agent.abandon()
        lookForSessions()
        hub.send(SessionEvent(session: nil, event: .serviceVanished))
    }

    /// The call starts the service, if the bus can, and its reply has the session if it continues.
    private func findSession() async {
        let details = try? await proxy.getSession()
        // Cancelled if the service has vanished again.
        guard !Task.isCancelled else { return }
        hub.resolveDoubts(details.map { SessionStatus($0) }, throwing: Self.vanished)
    }

    private func serviceAppeared() {
        renewal?.cancel()
        renewal = Task {
            do {
                if let subscription { try await proxy.subscribe(options: subscription) }
                try await agent?.make(with: proxy)
            } catch {
                guard !Task.isCancelled else { return }
                hub.send(SessionEvent(session: nil, event: .failed(DictationError(error))))
            }
            guard !Task.isCancelled else { return }
            hub.send(SessionEvent(session: nil, event: .serviceAppeared))
        }
    }
}
