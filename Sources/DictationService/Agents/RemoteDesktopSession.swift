import DBus
import Desktop
import DictationCore
import DictationInterface
import EventLoop
import Glibc
import Logging

/// The desktop session of a user whom this process is not: what it lends comes from the agents that run in it, and
/// whether the user is there from logind.
final class RemoteDesktopSession: DesktopSession {
    private let uid: UInt32
    private let agents: AgentRegistry
    private let logger: Logger
    private let seat: SeatWatch
    private let scheduling: RealTimeScheduling
    private let listener: Listener
    private let state = Lock(State())

    private struct State {
        var observation: UInt64?
        /// Whose connection to the audio server is in use, or was asked for.
        var lender: RegisteredAgent?
        /// Who was told last what dictation does.
        var player: RegisteredAgent?
        var activity = DictationActivity()
        /// What was told last, and to which registration.
        var told: Told?
        /// The registration that has not replied yet. One call is under way at a time; the latest activity follows it.
        var telling: UInt64?
    }

    private struct Told: Hashable {
        var registration: UInt64
        var activity: DictationActivity
    }

    /// Whom to tell, once that is known.
    private final class Listener: Sendable {
        let tell = Lock<(@Sendable (DesktopEvent) -> Void)?>(nil)

        func callAsFunction(_ event: DesktopEvent) { tell.withLock { $0 }?(event) }
    }

    /// - Parameter systemBus: where logind is.
    init(of uid: UInt32, agents: AgentRegistry, systemBus: BusAddress, loop: EventLoop, logger: Logger) {
        let listener = Listener()
        self.uid = uid
        self.agents = agents
        self.logger = logger
        self.listener = listener
        scheduling = RealTimeScheduling(session: nil, systemBus: systemBus, loop: loop)
        seat = SeatWatch(
            over: uid, on: loop, bus: systemBus, absence: .away,
            publish: { listener(.seat($0)) }, report: { listener(.trouble($0)) })
    }

    func begin(_ tell: @escaping @Sendable (DesktopEvent) -> Void) {
        listener.tell.withLock { $0 = tell }
        seat.assumeIsolated { $0.start() }
        let observation = agents.assumeIsolated { $0.observe(uid) { [weak self] in self?.followAgents() } }
        state.withLock { $0.observation = observation }
        followAgents()
    }

    func end() async {
        follow(DictationActivity())
        if let observation = state.withLock({ $0.observation.take() }) {
            await agents.stopObserving(observation)
        }
        await seat.stop()
        listener.tell.withLock { $0 = nil }
    }

    func prioritize(thread: Int32) {
        scheduling.request(for: thread) { [listener] in listener(.trouble($0)) }
    }

    func userActed() {
        seat.assumeIsolated { $0.userActed() }
    }

    func delaySleep(_ delays: Bool) {
        seat.assumeIsolated { $0.delaySleep(delays) }
    }

    // MARK: Agents

    /// The agents are others now.
    private func followAgents() {
        let (lender, player, screenSavers) = agents.assumeIsolated { agents in
            (
                agents.latest(.microphone, ofUser: uid), agents.latest(.playback, ofUser: uid),
                agents.latest(.lock, ofUser: uid)?.screenSavers ?? [:]
            )
        }
        seat.assumeIsolated { $0.follow(screenSavers) }
        let (isWithdrawn, isNewPlayer) = state.withLock { state in
            let isWithdrawn = state.lender.map { held in !agents.assumeIsolated { $0.has(held) } } ?? false
            if isWithdrawn { state.lender = nil }
            let isNewPlayer = player.map { $0.isSameRegistration(as: state.player) } == false
            state.player = player
            return (isWithdrawn, isNewPlayer)
        }
        if isWithdrawn { listener(.audioServerWithdrawn) }
        if lender != nil, state.withLock({ $0.lender == nil }) { listener(.audioServerAppeared) }
        if isNewPlayer { tellPlayer() }
    }

    func openPipeWireRemote() async throws -> Descriptor {
        guard let agent = await agents.latest(.microphone, ofUser: uid) else {
            throw DBusError(.serviceUnknown, "no agent of the user \(uid) lends a microphone")
        }
        state.withLock { $0.lender = agent }
        do {
            let remote = try await agents.call(agent) { proxy, timeout in
                try await proxy.openPipeWireRemote(timeout: timeout)
            }
            // Not by fstat, which waits for the file system where it is none.
            var kind: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(remote.rawValue, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 else {
                throw DBusError.failed("what the agent lends is not a socket")
            }
            return remote
        } catch {
            state.withLock { $0.lender = nil }
            throw error
        }
    }

    func follow(_ activity: DictationActivity) {
        state.withLock { $0.activity = activity }
        tellPlayer()
    }

    private func tellPlayer() {
        let next = state.withLock { state -> (RegisteredAgent, DictationActivity)? in
            guard let player = state.player, state.telling != player.number else { return nil }
            let told = Told(registration: player.number, activity: state.activity)
            guard state.told != told else { return nil }
            state.told = told
            state.telling = player.number
            return (player, state.activity)
        }
        guard let (player, activity) = next else { return }
        Task {
            do {
                try await agents.call(player) { proxy, timeout in
                    try await proxy.followDictation(activity: activity.details, timeout: timeout)
                }
            } catch {
                logger.info(
                    "an agent does not have the players follow",
                    metadata: ["client": "\(player.name)", "why": "\(error)"])
            }
            state.withLock { if $0.telling == player.number { $0.telling = nil } }
            tellPlayer()
        }
    }

    /// By the desktop's own dialog, which an agent shows that stands for the desktop.
    func ask(_ prompt: Prompt) async throws(DesktopError) -> Decision? {
        guard let agent = await agents.latest(.prompt, ofUser: uid, standingForDesktop: true) else {
            throw DesktopError(
                .noPrompter, DBusError(.serviceUnknown, "no agent of the user \(uid) is there"),
                of: "The desktop")
        }
        return try await AgentPrompter(agent: agent, agents: agents).ask(prompt)
    }
}

extension DictationActivity {
    /// As the bus tells it.
    fileprivate var details: [BusText: Value] {
        [
            ActivityKey.listening: .bool(isListening), ActivityKey.wanted: .bool(wantsToListen),
            ActivityKey.quiet: .bool(blocksPlayback),
        ]
    }
}
