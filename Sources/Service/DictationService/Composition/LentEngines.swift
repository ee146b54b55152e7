import DBus
import DictationCore
import EventLoop
import Recognition
import Wyoming

/// The users' own engines, lent by their agents to the service of the machine.
@EventLoopActor
final class LentEngines {
    private struct Lent {
        var offer: EngineOffer.Engine
        var engine: FinalEngine
    }

    private struct User {
        var preference: [String] = []
        var lent: [Lent] = []
        /// The registration that lends them.
        var registration: UInt64?
    }

    private let agents: AgentRegistry
    /// Names that users' engines may not have.
    private let reservedNames: Set<String>
    private let engineWait: Duration
    private var users: [UInt32: User] = [:]
    /// Threads are kept, because one that a user blocks never ends.
    private var threads: [UInt32: EngineThread] = [:]
    private var changed: @EventLoopActor (UInt32) -> Void = { _ in }
    /// Maximum number of users with engines.
    private static let userLimit = 64
    /// Maximum number of bytes of an agent's error in messages.
    private static let messageLimit = 200

    /// - Parameters:
    ///   - reservedNames: names of the administrator's engines.
    ///   - engineWait: how long a Commit waits for an engine.
    init(agents: AgentRegistry, reservedNames: Set<String>, engineWait: Duration) {
        self.agents = agents
        self.reservedNames = reservedNames
        self.engineWait = engineWait
    }

    /// - Parameter changed: called with the user when engines or their state have changed.
    func begin(_ changed: @escaping @EventLoopActor (UInt32) -> Void) {
        self.changed = changed
        let throttle = UserThrottle { [weak self] uid in self?.apply(uid) ?? false }
        agents.observeAll { throttle.request($0) }
    }

    func engines(of uid: UInt32) -> [FinalEngine] { users[uid]?.lent.map(\.engine) ?? [] }

    /// Names of engines in the user's order of preference; empty if there is none.
    func preference(of uid: UInt32) -> [String] { users[uid]?.preference ?? [] }

    /// Names of a user's engines that write punctuation themselves.
    func punctuating(of uid: UInt32) -> Set<String> {
        Set(users[uid]?.lent.filter(\.offer.punctuates).map(\.offer.name) ?? [])
    }

    /// The user's agents or their engines have changed. Returns whether the engines are others.
    private func apply(_ uid: UInt32) -> Bool {
        let agent = agents.latest(.engine, ofUser: uid)
        let offer = agent?.offer ?? EngineOffer()
        let former = users[uid] ?? User()
        let thread = offer.engines.isEmpty ? nil : thread(of: uid)
        var user = User(preference: offer.preference, registration: agent?.number)
        for engine in offer.engines where !reservedNames.contains(engine.name) {
            if let same = former.lent.first(where: { $0.offer == engine }) {
                user.lent.append(same)
                if former.registration != user.registration { same.engine.probe() }
            } else if let thread {
                user.lent.append(Lent(offer: engine, engine: makeEngine(engine, uid, thread)))
            }
        }
        let isNew =
            former.lent.map(\.offer) != user.lent.map(\.offer) || former.preference != user.preference
        users[uid] = user.preference.isEmpty && user.lent.isEmpty ? nil : user
        if isNew { changed(uid) }
        return isNew
    }

    private func thread(of uid: UInt32) -> EngineThread? {
        if let thread = threads[uid] { return thread }
        guard threads.count < Self.userLimit else { return nil }
        let thread = EngineThread()
        threads[uid] = thread
        return thread
    }

    private func makeEngine(
        _ offer: EngineOffer.Engine, _ uid: UInt32, _ thread: EngineThread
    ) -> FinalEngine {
        let connections = LentConnections(isLocal: offer.isLocal, uid: uid, thread: thread) {
            [weak agents] completion in
            Task {
                completion(await Self.open(offer.name, of: uid, by: agents))
            }
        }
        let engine = FinalEngine(
            WyomingEngine(name: offer.name, connections: connections), fallback: offer.fallback,
            commitTimeout: engineWait, on: EventLoopActor.loop)
        _ = engine.observe { [weak self] in
            EventLoopActor.executeNowIfCurrent { [weak self] in self?.changed(uid) }
        }
        engine.probe()
        return engine
    }

    private static func open(
        _ name: String, of uid: UInt32, by agents: AgentRegistry?
    ) async -> Result<Descriptor, EngineFailure> {
        guard let agents else { return .failure(EngineFailure(.cancelled, "The service is ending.")) }
        do {
            return .success(try await agents.openEngine(name, ofUser: uid))
        } catch {
            // The length of the agent's text is not limited.
            let reason = (error as? DBusError)?.message ?? "\(error)"
            let text = String(decoding: reason.utf8.prefix(messageLimit), as: UTF8.self)
            return .failure(EngineFailure(.unreachable, text))
        }
    }
}
