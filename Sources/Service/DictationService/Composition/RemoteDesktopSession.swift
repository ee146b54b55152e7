import DBus
import Desktop
import DictationCore
import DictationInterface
import EventLoop
import Logging
import Microphone

/// The desktop session of another user than this process's. Agents in it lend the microphone, and logind says whether
/// the user is present.
final class RemoteDesktopSession: DesktopSession {
    private let uid: UInt32
    private let agents: AgentRegistry
    private let logger: Logger
    private let seat: SeatWatch
    private let scheduling: RealTimeScheduling
    private let listener: Listener
    private var observation: UInt64?
    private var hasRefusedServer = false
    /// The agent whose connection to the audio server is in use or requested.
    private var lender: RegisteredAgent?
    /// The agent that was last told what dictation does.
    private var player: RegisteredAgent?
    private var activity = DictationActivity()
    private var indication = DictationIndication()
    /// The last activity that was sent, and to which registration.
    private var told: Told?
    /// The registration that has not replied yet. One call is in progress at a time; the latest activity follows it.
    private var telling: UInt64?

    fileprivate struct Told: Hashable {
        var registration: UInt64
        var activity: DictationActivity
        var indication: DictationIndication
    }

    /// Set by ``start``.
    @EventLoopActor
    private final class Listener {
        var tell: (@EventLoopActor (DesktopEvent) -> Void)?

        func callAsFunction(_ event: DesktopEvent) { tell?(event) }
    }

    /// - Parameter systemBus: the bus that logind is on.
    init(of uid: UInt32, agents: AgentRegistry, systemBus: BusAddress, logger: Logger) {
        let listener = Listener()
        self.uid = uid
        self.agents = agents
        self.logger = logger
        self.listener = listener
        scheduling = RealTimeScheduling(session: nil, systemBus: systemBus)
        seat = SeatWatch(
            over: uid, bus: systemBus, absence: .away,
            publish: { listener(.seat($0)) }, report: { listener(.trouble($0)) })
    }

    func begin(_ tell: @escaping @EventLoopActor (DesktopEvent) -> Void) {
        listener.tell = tell
        seat.start()
        observation = agents.observe(uid) { [weak self] in self?.followAgents() }
        followAgents()
    }

    func end() async {
        activity = DictationActivity()
        indication = DictationIndication()
        tellPlayer()
        if let observation = observation.take() { agents.stopObserving(observation) }
        await seat.stop()
        listener.tell = nil
    }

    func prioritize(thread: Int32) {
        scheduling.request(for: thread) { [listener] in listener(.trouble($0)) }
    }

    func userActed() {
        seat.userActed()
    }

    func delaySleep(_ delays: Bool) {
        seat.delaySleep(delays)
    }

    // MARK: Agents

    /// The agents have changed.
    private func followAgents() {
        let newPlayer = agents.latest(.playback, ofUser: uid)
        let canLend = agents.latest(.microphone, ofUser: uid) != nil
        seat.follow(agents.latest(.lock, ofUser: uid)?.screenSavers ?? [:])
        let isWithdrawn = lender.map { !agents.has($0) } ?? false
        if isWithdrawn { lender = nil }
        let isNewPlayer = newPlayer.map { $0.isSameRegistration(as: player) } == false
        player = newPlayer
        if isWithdrawn { listener(.audioServerWithdrawn) }
        if canLend, lender == nil { listener(.audioServerAppeared) }
        if isNewPlayer { tellPlayer() }
    }

    /// Only the first refusal is worth attention: the server is asked again and again.
    private func note(_ refusal: MicrophoneError) {
        logger.log(
            level: hasRefusedServer ? .debug : .notice, "a user's audio server was refused",
            metadata: ["uid": "\(uid)", "why": "\(refusal)"])
        hasRefusedServer = true
    }

    @EventLoopActor
    func openPipeWireRemote() async throws -> Descriptor {
        guard let agent = agents.latest(.microphone, ofUser: uid) else {
            throw DBusError(.serviceUnknown, "no agent of the user \(uid) lends a microphone")
        }
        lender = agent
        do {
            let remote = try await agents.call(agent) { proxy, timeout in
                try await proxy.openPipeWireRemote(timeout: timeout)
            }
            let lease = try agents.budgets.requireLease(.audioServers, of: .user(uid))
            return try await UntrustedServer.connect(through: remote, lease: lease) { [weak self] in
                self?.note($0)
            }
        } catch {
            // Another attempt may have begun with another agent.
            if agent.isSameRegistration(as: lender) { lender = nil }
            throw error
        }
    }

    func follow(_ activity: DictationActivity) {
        self.activity = activity
        tellPlayer()
    }

    func indicate(_ state: DictationIndication) {
        indication = state
        tellPlayer()
    }

    private func tellPlayer() {
        guard let player, telling != player.number else { return }
        let new = Told(registration: player.number, activity: activity, indication: indication)
        guard told != new else { return }
        told = new
        telling = player.number
        Task {
            do {
                try await agents.call(player) { proxy, timeout in
                    try await proxy.followDictation(activity: new.details, timeout: timeout)
                }
            } catch {
                logger.info(
                    "an agent does not control the players",
                    metadata: ["client": "\(player.name)", "why": "\(error)"])
            }
            if telling == player.number { telling = nil }
            tellPlayer()
        }
    }

    /// Asks with the desktop's own dialog, which the agent shows.
    func ask(_ prompt: Prompt) async throws(DesktopError) -> Decision? {
        guard let agent = agents.latest(.prompt, ofUser: uid, standingForDesktop: true) else {
            throw DesktopError(
                .noPrompter, DBusError(.serviceUnknown, "no agent of the user \(uid) is registered"),
                of: "The desktop")
        }
        return try await AgentPrompter(agent: agent, agents: agents).ask(prompt)
    }
}

extension RemoteDesktopSession.Told {
    /// As the bus tells it.
    fileprivate var details: [BusText: Value] {
        [
            ActivityKey.listening: .bool(activity.isListening),
            ActivityKey.wanted: .bool(activity.wantsToListen),
            ActivityKey.quiet: .bool(activity.blocksPlayback),
            ActivityKey.state: .string(indication.state.rawValue),
            ActivityKey.inUse: .bool(indication.isInUse),
        ]
    }
}
