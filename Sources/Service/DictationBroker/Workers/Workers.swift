import DBus
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// The workers of the users. One is started when a user's first call comes, and ends some time after its last use.
@EventLoopActor
final class Workers {
    struct Handlers {
        /// The calls of these connections have waited for a worker, which has come, or has not come for a reason.
        let resumed: @EventLoopActor ([BusName], DBusError?) -> Void
        /// See ``WorkerLink/Handlers``.
        let answered: @EventLoopActor (MethodCall, ReceivedMessage) -> Void
        let signalled: @EventLoopActor (WorkerLink, ReceivedMessage) -> Void
        let ping: @EventLoopActor (WorkerLink, BusName, @escaping @EventLoopActor (Bool) -> Void) -> Void
        /// What an application may do.
        let permission: @EventLoopActor (Identity) -> Permission
        /// Whether a connection exists.
        let owns: @EventLoopActor (BusName) async throws -> Bool
        /// A worker has replaced one that ended although it was needed.
        let replaced: @EventLoopActor (WorkerLink, [WorkerSession]) -> Void
    }

    private enum State {
        case starting(timeout: EventLoop.Timer)
        case running(WorkerLink)
        case ending(WorkerLink)
    }

    private let starter: any WorkerStarter
    /// A user whose worker is kept in any case.
    private let owner: UInt32?
    /// Whether a process may be this user's worker.
    private let accepts: @EventLoopActor (WorkerLink.Process, UInt32) async -> Bool
    private let linger: Duration
    private let logger: Logger
    private var handlers: Handlers?
    private var users: [UInt32: State] = [:]
    /// Connections whose calls wait for a user's worker.
    private var waiting: [UInt32: [BusName]] = [:]
    /// Wait until a user's worker has started, or has failed to.
    private var startWaiters: [UInt32: [CheckedContinuation<Void, Never>]] = [:]
    /// Those that have not greeted yet.
    private var strangers: [WorkerLink] = []
    private var ends: [UInt32: EventLoop.Timer] = [:]
    /// The highest number that a session of a user may have.
    private var sessions: [UInt32: UInt64] = [:]
    /// Users whose worker ended although it was needed, and its sessions. The next one replaces it.
    private var unfinished: [UInt32: [WorkerSession]] = [:]
    private var failures: [UInt32: WorkerFailures] = [:]
    /// Why a user's worker did not start, for ``failureLasts``.
    private var startFailures: [UInt32: Refusal] = [:]
    /// Wait for all workers to end.
    private var endWaiters: [CheckedContinuation<Void, Never>] = []
    private var isEnding = false

    /// Maximum number of users at the same time.
    static let limit = 64
    /// Connections of a user that have not greeted yet.
    private static let strangerLimit = 3
    /// Sessions of one worker.
    private static let sessionRange: UInt64 = 1 << 20
    /// How long a worker may take to greet.
    private static let startTimeout = Duration.seconds(5)
    /// The calls that come right after a worker has not started do not wait for it again.
    private static let failureLasts = Duration.seconds(1)

    /// - Parameters:
    ///   - starter: starts workers, which connect and greet.
    ///   - owner: a user whose worker is kept in any case.
    ///   - linger: how long a worker is kept after its last use. Its decoders stay loaded meanwhile.
    ///   - accepts: whether a process may be a user's worker.
    init(
        starter: any WorkerStarter, owner: UInt32?, linger: Duration = .seconds(60), logger: Logger,
        accepts: @escaping @EventLoopActor (WorkerLink.Process, UInt32) async -> Bool
    ) {
        self.starter = starter
        self.owner = owner
        self.linger = linger
        self.logger = logger
        self.accepts = accepts
    }

    /// - Parameter socket: the path at which workers connect.
    func begin(brokerAt socket: String, _ handlers: Handlers) {
        self.handlers = handlers
        starter.begin(brokerAt: socket) { [weak self] uid, refusal in self?.failed(uid, refusal) }
    }

    /// Users whose workers are needed from the beginning.
    func startNeeded() throws(Refusal) {
        for uid in starter.neededUsers { try want(uid) }
    }

    /// A user's worker that is running.
    subscript(_ uid: UInt32) -> WorkerLink? {
        if case .running(let link) = users[uid] { link } else { nil }
    }

    /// The user's worker. If there is none, starts one and returns nil: then the calls of this connection wait.
    func link(of uid: UInt32, for name: BusName) throws(Refusal) -> WorkerLink? {
        if let link = self[uid] { return link }
        try want(uid)
        if waiting[uid]?.contains(name) != true { waiting[uid, default: []].append(name) }
        return nil
    }

    /// Starts the user's worker unless there is one.
    func want(_ uid: UInt32) throws(Refusal) {
        if isEnding {
            throw Refusal(.cancelled, "The service is shutting down: call again to start it anew.")
        }
        guard users[uid] == nil else { return }
        if let refusal = startFailures[uid] { throw refusal }
        if let rest = failures[uid]?.pause(at: .now) {
            throw Refusal(
                .engineFailed,
                "The user's worker has failed several times, and is started again in \(rest.components.seconds + 1) s; "
                    + "see its log.")
        }
        guard users.count < Self.limit else {
            throw Refusal(.limitExceeded, "\(Self.limit) users are being served.")
        }
        users[uid] = .starting(
            timeout: EventLoopActor.schedule(after: Self.startTimeout) { [weak self] in
                guard let self else { return }
                failed(
                    uid,
                    Refusal(
                        .timeout,
                        "The user's worker did not start within \(Self.startTimeout). \(starter.advice)"))
            })
        starter.start(uid)
    }

    /// The user's worker, once it has started. One that is ending is followed by another. Throws if it does not start.
    func require(_ uid: UInt32) async throws(Refusal) -> WorkerLink {
        try want(uid)
        switch users[uid] {
        case .starting, .ending:
            await withCheckedContinuation { startWaiters[uid, default: []].append($0) }
        case .running, nil: break
        }
        if let link = self[uid] { return link }
        throw startFailures[uid] ?? Refusal(.cancelled, "The user's worker has ended: call again.")
    }

    /// Whether a process of this user may connect: a worker of theirs is being started.
    private func expects(_ uid: UInt32) -> Bool {
        guard strangers.count(where: { $0.process?.uid == uid }) < Self.strangerLimit else { return false }
        if uid == owner { return true }
        if case .starting = users[uid] { return true }
        return false
    }

    /// Every worker could end without losing anything.
    var areIdle: Bool {
        users.values.allSatisfy { if case .running(let link) = $0 { link.isIdle } else { false } }
    }

    /// Returns when the user's worker has started, unless none is being started.
    func started(_ uid: UInt32) async -> WorkerLink? {
        if case .starting = users[uid] {
            await withCheckedContinuation { startWaiters[uid, default: []].append($0) }
        }
        return self[uid]
    }

    /// A worker could not be started.
    private func failed(_ uid: UInt32, _ refusal: Refusal) {
        guard case .starting(let timeout) = users[uid] else { return }
        timeout.cancel()
        users[uid] = nil
        starter.release(uid)
        logger.error("a worker did not start", metadata: ["uid": "\(uid)", "why": "\(refusal.message)"])
        startFailures[uid] = refusal
        _ = EventLoopActor.schedule(after: Self.failureLasts) { [weak self] in
            self?.startFailures[uid] = nil
        }
        resume(uid, DBusError(refusal))
    }

    private func resume(_ uid: UInt32, _ error: DBusError?) {
        if let names = waiting.removeValue(forKey: uid) { handlers?.resumed(names, error) }
        for waiter in startWaiters.removeValue(forKey: uid) ?? [] { waiter.resume() }
    }

    // MARK: Connections

    /// A process has connected. One that is not expected is cut off.
    func connected(_ peer: PeerConnection) {
        guard let handlers, let process = peer.process, expects(process.uid) else { return }
        let link = WorkerLink(
            peer, logger: logger,
            WorkerLink.Handlers { [weak self] link, greeting, call in
                self?.greeted(link, greeting, call)
            } becameIdle: { [weak self] link in
                if let uid = link.uid { self?.reconsider(uid) }
            } answered: { call, message in
                handlers.answered(call, message)
            } signalled: { link, message in
                handlers.signalled(link, message)
            } ping: { link, name, completion in
                handlers.ping(link, name, completion)
            } stuck: { [weak self] link in
                if let uid = link.uid { self?.starter.kill(uid) }
            } ended: { [weak self] link in
                self?.ended(link)
            })
        strangers.append(link)
        _ = EventLoopActor.schedule(after: Self.startTimeout) { [weak self, weak link] in
            guard let self, let link, link.uid == nil else { return }
            strangers.removeAll { $0 === link }
            Task { await link.close() }
        }
    }

    private func greeted(_ link: WorkerLink, _ greeting: WorkerGreeting, _ call: MethodCall) {
        Task {
            guard link.uid == nil, let process = link.process, await accepts(process, greeting.uid) else {
                return call.fail(.accessDenied("This process may not work for the user \(greeting.uid)."))
            }
            accept(link, greeting, call)
        }
    }

    private func accept(_ link: WorkerLink, _ greeting: WorkerGreeting, _ call: MethodCall) {
        guard link.isConnected else { return }
        if isEnding { return call.fail(.failed("The service is ending.")) }
        switch users[greeting.uid] {
        case .running, .ending: return call.fail(.limitsExceeded("The user has a worker."))
        case .starting(let timeout): timeout.cancel()
        case nil: break
        }
        strangers.removeAll { $0 === link }
        link.accept(user: greeting.uid, owners: Set(greeting.owners.map(\.name)))
        users[greeting.uid] = .running(link)
        let last = max(greeting.lastSession, sessions[greeting.uid] ?? 0)
        sessions[greeting.uid] = (last / Self.sessionRange + 1) * Self.sessionRange
        Task {
            let vanished = await vanished(of: greeting.owners.map(\.name))
            for identity in Set(greeting.owners.map(\.identity)) {
                if let permission = handlers?.permission(identity) { link.inform(identity, permission) }
            }
            call.reply(
                DictationBrokerReply.hello(broker: [
                    BrokerKey.session: .uint64(last),
                    BrokerKey.vanished: Value(vanished.map(\.rawValue)),
                ]).body)
            if let sessions = unfinished.removeValue(forKey: greeting.uid) {
                handlers?.replaced(link, sessions)
            }
            resume(greeting.uid, nil)
            reconsider(greeting.uid)
        }
    }

    /// Those owners that have left the bus. If that is not known they stay: unique names are not used again, so nobody else can
    /// call for them.
    private func vanished(of owners: [BusName]) async -> [BusName] {
        var vanished: [BusName] = []
        for owner in owners {
            do {
                if try await handlers?.owns(owner) == false { vanished.append(owner) }
            } catch {
                logger.warning(
                    "whether a session has an owner is not known", metadata: ["why": "\(error)"])
            }
        }
        return vanished
    }

    /// A connection has left the bus.
    func forget(_ name: BusName) {
        for (uid, names) in waiting { waiting[uid] = names.filter { $0 != name } }
        for case .running(let link) in users.values { link.forget(name) }
    }

    // MARK: The end

    /// Call when a worker may no longer be needed.
    func reconsider(_ uid: UInt32) {
        guard ends[uid] == nil, canEnd(uid) else { return }
        ends[uid] = EventLoopActor.schedule(after: linger) { [weak self] in
            self?.ends[uid] = nil
            self?.endIfUnneeded(uid)
        }
    }

    private func endIfUnneeded(_ uid: UInt32) {
        guard canEnd(uid), let link = self[uid] else { return }
        users[uid] = .ending(link)
        starter.release(uid)
        link.requestEnd()
    }

    private func canEnd(_ uid: UInt32) -> Bool {
        guard uid != owner, let link = self[uid] else { return false }
        return link.isIdle
    }

    private func ended(_ link: WorkerLink) {
        strangers.removeAll { $0 === link }
        guard let uid = link.uid else { return }
        switch users[uid] {
        case .running(let known) where known === link, .ending(let known) where known === link: break
        default: return
        }
        users[uid] = nil
        ends.removeValue(forKey: uid)?.cancel()
        logger.info("a worker has ended", metadata: ["uid": "\(uid)"])
        if isEnding {
            resume(uid, .noReply("The service is ending."))
        } else if link.saidBye {
            // Calls may have come while it ended.
            if isAwaited(uid) { startAgain(uid) }
        } else {
            logger.error("a worker has failed", metadata: ["uid": "\(uid)"])
            failures[uid, default: WorkerFailures()].add(at: .now)
            if link.isNeeded { unfinished[uid] = link.sessions }
            startAgain(uid)
        }
        if users[uid] == nil { starter.release(uid) }
        guard users.isEmpty else { return }
        for waiter in endWaiters { waiter.resume() }
        endWaiters = []
    }

    /// At once, or when the pause after several failures is over.
    private func startAgain(_ uid: UInt32) {
        do throws(Refusal) {
            guard unfinished[uid] != nil || uid == owner || isAwaited(uid) else { return }
            try want(uid)
        } catch {
            resume(uid, DBusError(error))
            guard let pause = failures[uid]?.pause(at: .now) else { return }
            _ = EventLoopActor.schedule(after: pause) { [weak self] in self?.startAgain(uid) }
        }
    }

    private func isAwaited(_ uid: UInt32) -> Bool {
        waiting[uid]?.isEmpty == false || startWaiters[uid]?.isEmpty == false
    }

    /// The applications that workers may have sessions of.
    var identities: Set<Identity> {
        users.values.reduce(into: []) { all, state in
            if case .running(let link) = state { all.formUnion(link.identities) }
        }
    }

    /// Ends all at once, so that no user's microphone stays open while another's commits are finished.
    func shutDown() async {
        isEnding = true
        for timer in ends.values { timer.cancel() }
        ends = [:]
        for (uid, state) in users {
            switch state {
            case .starting: failed(uid, Refusal(.cancelled, "The service is ending."))
            case .running(let link):
                users[uid] = .ending(link)
                starter.release(uid)
                link.requestEnd()
            case .ending: break
            }
        }
        if !users.isEmpty { await withCheckedContinuation { endWaiters.append($0) } }
        await starter.allEnded()
    }

    /// The bus is lost: nobody is left to answer.
    func abandon() { isEnding = true }
}
