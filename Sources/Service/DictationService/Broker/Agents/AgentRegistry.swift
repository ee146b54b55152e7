import DBus
import DictationConfiguration
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// The registered agents.
@EventLoopActor
final class AgentRegistry {
    typealias Capability = RegisteredAgent.Capability

    struct Handlers {
        /// A user has no agents any more.
        let becameUnneeded: @EventLoopActor (UInt32) -> Void
        /// The later calls of this connection wait until its registration has ended.
        let registrationBegan: @EventLoopActor (BusName) -> Void
        let registrationEnded: @EventLoopActor (BusName) -> Void
    }

    let connection: Connection
    let logger: Logger
    let budgets: Budgets
    /// The capabilities that the service uses.
    private let wanted: Set<Capability>
    /// Why a user may not have agents now; nil if agents are allowed.
    private let refusal: (@Sendable (UInt32) async -> Refusal?)?
    /// Engines may be on other machines.
    private let allowsRemoteEngines: Bool
    /// In order of registration.
    private var agents: [RegisteredAgent] = []
    /// Connections whose permission to register is being checked.
    private var candidates: [UInt64: RegisteredAgent] = [:]
    private var lastNumber: UInt64 = 0
    /// Tasks that wait for an agent of a user.
    private var waiters: [UInt64: (uid: UInt32, turn: CheckedContinuation<Void, Never>)] = [:]
    private let epoch = SuspendingClock.now
    private var observers: [(number: UInt64, uid: UInt32, changed: @EventLoopActor () -> Void)] = []
    private var observersOfAll: [@EventLoopActor (UInt32) -> Void] = []
    private var handlers: Handlers?

    /// Identifications in progress for each user, and those that wait.
    var identifying: [UInt32: Int] = [:]
    var waitingToIdentify: [UInt32: [CheckedContinuation<Void, Never>]] = [:]

    /// Maximum number of one user's clients that are identified at the same time.
    static let identificationLimit = 4
    /// Maximum number of registrations of one connection, and of one user.
    private static let limit = 8
    private static let userLimit = 64
    /// How long agents may take to register after the start of the service.
    private static let gathering = Duration.seconds(3)

    /// - Parameters:
    ///   - wanted: the capabilities to accept.
    ///   - allowsRemoteEngines: engines may be on other machines.
    ///   - refusal: called before each registration.
    init(
        connection: Connection, logger: Logger, budgets: Budgets,
        wanted: Set<Capability>, allowsRemoteEngines: Bool = false,
        refusal: (@Sendable (UInt32) async -> Refusal?)? = nil
    ) {
        self.connection = connection
        self.logger = logger
        self.budgets = budgets
        self.wanted = wanted
        self.allowsRemoteEngines = allowsRemoteEngines
        self.refusal = refusal
    }

    func begin(_ handlers: Handlers) { self.handlers = handlers }

    /// Calls `changed` after a user's agents have changed. Returns a function that ends this.
    func observe(_ uid: UInt32, _ changed: @escaping @EventLoopActor () -> Void) -> UInt64 {
        lastNumber += 1
        observers.append((lastNumber, uid, changed))
        return lastNumber
    }

    /// Calls `changed` with the user after a change of a user's agents or of what they have sent.
    func observeAll(_ changed: @escaping @EventLoopActor (UInt32) -> Void) { observersOfAll.append(changed) }

    func stopObserving(_ number: UInt64) {
        observers.removeAll { $0.number == number }
    }

    func reportChange(ofUser uid: UInt32) {
        for (number, waiter) in waiters where waiter.uid == uid {
            waiters[number] = nil
            waiter.turn.resume()
        }
        for changed in observersOfAll { changed(uid) }
        for observer in observers where observer.uid == uid { observer.changed() }
        if !hasAgents(ofUser: uid) { handlers?.becameUnneeded(uid) }
    }

    func handle(_ request: DictationAgentManagerRequest, _ call: MethodCall, from client: Client) {
        switch request {
        case .register(let path, let capabilities, let options):
            handlers?.registrationBegan(call.sender)
            _ = Task.immediate {
                defer { handlers?.registrationEnded(call.sender) }
                do throws(Refusal) {
                    try await register(agent(client, path, capabilities, options))
                    call.reply(DictationAgentManagerReply.done.body)
                } catch {
                    call.fail(DBusError(error))
                }
            }
        case .unregister(let path):
            answer(call) { () throws(Refusal) in
                let index = try index(of: path, call.sender)
                remove { [number = agents[index].number] in $0.number == number }
                return true
            }
        case .setScreenSavers(let path, let active):
            answer(call) { () throws(Refusal) in
                let states = ScreenSaver.allCases.compactMap { screenSaver in
                    active[BusText(screenSaver.rawValue)].map { (screenSaver, $0) }
                }
                agents[try index(of: path, call.sender)].screenSavers = Dictionary(
                    uniqueKeysWithValues: states)
                return true
            }
        case .setEngines(let path, let preference, let engines):
            answer(call) { () throws(Refusal) in
                agents[try index(of: path, call.sender)].offer = try EngineOffer(
                    preference: preference, engines: engines, mayBeRemote: allowsRemoteEngines)
                return true
            }
        case .setWords(let path, let words, let sounds):
            answer(call) { () throws(Refusal) in
                agents[try index(of: path, call.sender)].words = try OwnWords.entries(words, sounds)
                return false
            }
        case .setSettings(let path, let settings):
            answer(call) { () throws(Refusal) in
                let index = try index(of: path, call.sender)
                do throws(SettingError) {
                    agents[index].settings = try UserSettings(settings)
                } catch {
                    throw Refusal(.invalidArguments, error.message)
                }
                return true
            }
        }

        /// - Parameter change: changes an agent. Returns whether to report it now: words are only read at the next Start.
        func answer(_ call: MethodCall, _ change: () throws(Refusal) -> Bool) {
            do throws(Refusal) {
                let isReported = try change()
                call.reply(DictationAgentManagerReply.done.body)
                if isReported { reportChange(ofUser: client.identity.uid) }
            } catch {
                call.fail(DBusError(error))
            }
        }
    }

    /// The position of a registration.
    private func index(of path: ObjectPath, _ name: BusName) throws(Refusal) -> Int {
        guard let index = agents.firstIndex(where: { $0.name == name && $0.path == path }) else {
            throw Refusal(.notRunning, "No agent is registered at \(path).")
        }
        return index
    }

    private func agent(
        _ client: Client, _ path: ObjectPath, _ capabilities: [BusText], _ options: [BusText: Value]
    ) throws(Refusal) -> RegisteredAgent {
        let known = Set(capabilities.compactMap { Capability($0) }).intersection(wanted)
        guard !known.isEmpty, let name = BusName(client.name.rawValue) else {
            let words = wanted.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
            throw Refusal(.invalidArguments, "An agent needs one of the capabilities of this bus: \(words).")
        }
        let options = OptionReader(options: options)
        lastNumber += 1
        return RegisteredAgent(
            number: lastNumber, client: client, name: name,
            proxy: DictationAgentProxy(connection: connection, destination: name, path: path),
            capabilities: known, isFallback: try options.bool(AgentOption.fallback) ?? false,
            isForItself: try options.bool(AgentOption.own) ?? false)
    }

    private func register(_ agent: RegisteredAgent) async throws(Refusal) {
        if let refusal {
            let lease = try budgets.requireLease(
                .systemQuestions, of: .caller(agent.client.identity, agent.name))
            defer { lease.end() }
            candidates[agent.number] = agent
            let refusal = await refusal(agent.uid)
            // The connection may have gone meanwhile.
            guard candidates.removeValue(forKey: agent.number) != nil else { return }
            if let refusal { throw refusal }
        }
        let others = agents.filter { $0.name != agent.name || $0.path != agent.path }
        guard others.count(where: { $0.name == agent.name }) < Self.limit,
            others.count(where: { $0.uid == agent.uid }) < Self.userLimit
        else {
            throw Refusal(
                .limitExceeded,
                "A connection may register \(Self.limit) agents, a user \(Self.userLimit).")
        }
        var agent = agent
        // A registration for another reason keeps what was sent before.
        let former = agents.first { $0.name == agent.name && $0.path == agent.path }
        agent.screenSavers = former?.screenSavers ?? [:]
        agent.offer = former?.offer ?? EngineOffer()
        agent.words = former?.words ?? []
        agent.settings = former?.settings
        remove { $0.name == agent.name && $0.path == agent.path }
        agents.append(agent)
        logger.info("an agent registered", metadata: ["client": "\(agent.name)"])
        reportChange(ofUser: agent.uid)
    }

    /// A connection has gone.
    func forget(_ name: BusName) {
        candidates = candidates.filter { $0.value.name != name }
        guard let agent = agents.first(where: { $0.name == name }) else { return }
        remove { $0.name == name }
        reportChange(ofUser: agent.uid)
    }

    /// Passes the agent's questions to others.
    func remove(where isRemoved: (RegisteredAgent) -> Bool) {
        for agent in agents where isRemoved(agent) { agent.questions.end() }
        agents.removeAll(where: isRemoved)
    }

    /// Calls Release of every agent.
    func releaseAll() async {
        await withTaskGroup { [logger] group in
            for agent in agents {
                group.addTask { [proxy = agent.proxy] in
                    do {
                        try await proxy.release(timeout: .seconds(1))
                    } catch {
                        logger.debug(
                            "an agent did not answer",
                            metadata: ["client": "\(proxy.destination)", "why": "\(error)"])
                    }
                }
            }
        }
        remove { _ in true }
    }

    /// Ends the wait for the first registrations. Agents register again with the next service.
    var isIdle: Bool { candidates.isEmpty }

    func hasAgents(ofUser uid: UInt32) -> Bool { agents.contains { $0.uid == uid } }

    /// An agent that can identify a user's clients. Right after the start of the service there may be none, because
    /// agents learn of the start at the same time as its first caller does: then this waits for one, and for its settings,
    /// which the first session needs.
    func nextIdentifier(ofUser uid: UInt32) async -> RegisteredAgent? {
        while latest(.identify, ofUser: uid) == nil || isAwaitingSettings(ofUser: uid) {
            let rest = Self.gathering - (SuspendingClock.now - epoch)
            guard rest > .zero else { break }
            lastNumber += 1
            let number = lastNumber
            let deadline = EventLoopActor.schedule(after: rest) { [weak self] in
                self?.waiters.removeValue(forKey: number)?.turn.resume()
            }
            await withCheckedContinuation { waiters[number] = (uid, $0) }
            deadline.cancel()
        }
        return latest(.identify, ofUser: uid)
    }

    private func isAwaitingSettings(ofUser uid: UInt32) -> Bool {
        latest(.settings, ofUser: uid).map { $0.settings == nil } ?? false
    }

    func has(_ agent: RegisteredAgent) -> Bool {
        agents.contains { $0.isSameRegistration(as: agent) }
    }

    /// The user's agent that registered last with this capability.
    func latest(
        _ capability: Capability, ofUser uid: UInt32, standingForDesktop: Bool = false
    ) -> RegisteredAgent? {
        agents.last {
            $0.uid == uid && $0.capabilities.contains(capability)
                && ($0.standsForDesktop || !standingForDesktop)
        }
    }

    /// The agents that can be asked about an application, the latest first.
    func prompters(for identity: Identity, fallback: Bool) -> [AgentPrompter] {
        agents.reversed()
            .filter { $0.capabilities.contains(.prompt) && !$0.standsForDesktop }
            .filter { $0.uid == identity.uid && $0.isFallback == fallback }
            .filter { !$0.isForItself || $0.client.identity == identity }
            .map { AgentPrompter(agent: $0, agents: self) }
    }
}
