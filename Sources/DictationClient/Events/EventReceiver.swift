import DBus
import DictationInterface
import EventLoop

/// Takes what the service sends, and notices when it comes and goes.
actor EventReceiver {
    private let proxy: DictationProxy
    private let loop: EventLoop
    private var hub = EventHub()
    private var subscription: [BusText: Value]?
    private var agent: AgentRegistration?
    private var tasks: [Task<Void, Never>] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(proxy: DictationProxy, loop: EventLoop) {
        self.proxy = proxy
        self.loop = loop
    }

    func begin() async throws {
        let signals = try await proxy.connection.signals(
            MatchRule(
                sender: proxy.destination, path: proxy.path, interface: DictationInterface.name))
        let owners = try await proxy.connection.signals(
            MatchRule(
                sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged",
                arguments: [0: proxy.destination.rawValue]))
        tasks = [
            Task {
                for await message in signals {
                    if let signal = DictationSignal(message) { hub.send(SessionEvent(signal)) }
                }
                hub.end(
                    throwing: DictationError(.disconnected, message: "The connection to the bus is lost."))
            },
            Task {
                for await message in owners {
                    guard
                        let (_, old, new) = try? message.body.decoded(
                            as: String.self, String.self, String.self)
                    else { continue }
                    if !old.isEmpty { serviceVanished() }
                    if !new.isEmpty { await serviceAppeared() }
                }
            },
        ]
    }

    /// Ends all sequences of events.
    func end() async {
        hub.end(throwing: nil)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        tasks = []
    }

    func queue(for scope: EventHub.Scope) -> EventQueue { hub.addQueue(for: scope) }

    func narrow(_ queue: EventQueue, to session: UInt64) { hub.narrow(queue, to: session) }

    /// Renews the subscription whenever the service comes back.
    func remember(_ options: [BusText: Value]) { subscription = options }

    /// Registers again whenever the service comes back.
    func remember(_ registration: AgentRegistration) { agent = registration }

    func forgetAgent() { agent = nil }

    private func serviceVanished() {
        agent?.agent.assumeIsolated { $0.abandon() }
        hub.endSessions(
            throwing: DictationError(
                .serviceVanished, message: "The dictation service has gone, and the session with it."))
        hub.send(SessionEvent(session: nil, event: .serviceVanished))
    }

    private func serviceAppeared() async {
        do {
            if let subscription { try await proxy.subscribe(options: subscription) }
            try await agent?.make(with: proxy)
        } catch {
            hub.send(SessionEvent(session: nil, event: .failed(DictationError(error))))
        }
        hub.send(SessionEvent(session: nil, event: .serviceAppeared))
    }
}
