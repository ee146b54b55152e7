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
        /// A worker has started. If it replaces one that ended although it was needed, with the sessions of that one.
        let started: @EventLoopActor (WorkerLink, [WorkerSession]?) -> Void
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
    private let endTimeout: Duration
    private let mostUnread: Int
    private let logger: Logger
    private var handlers: Handlers?
    private var users: [UInt32: State] = [:]
    /// Connections whose calls wait for a user's worker.
    private var waiting: [UInt32: [BusName]] = [:]
    /// Wait until a user's worker has started, or has failed to.
    private var startWaiters: [UInt32: [CheckedContinuation<Void, Never>]] = [:]
    /// Those that have not greeted yet.
    private var strangers: [UnknownWorker] = []
    private var ends: [UInt32: EventLoop.Timer] = [:]
    /// The highest number that a session of a user may have.
    private var sessions: [UInt32: UInt64] = [:]
    /// Users who have had a worker. Others may be any numbers that somebody can become.
    private var known: Set<UInt32> = []
    /// Users whose worker ended although it was needed, and its sessions. The next one replaces it.
    private var unfinished: [UInt32: [WorkerSession]] = [:]
    private var failures: [UInt32: WorkerFailures] = [:]
    /// Start the workers that have failed several times.
    private var retries: [UInt32: EventLoop.Timer] = [:]
    /// Why a user's worker did not start, for ``failureLasts``.
    private var startFailures: [UInt32: Refusal] = [:]
    /// Wait for all workers to end.
    private var endWaiters: [CheckedContinuation<Void, Never>] = []
    private var isEnding = false

    /// Maximum number of users at the same time.
    static let limit = 64
    /// Of these, users who never had a worker. Each keeps its place for ``startTimeout``.
    static let unknownLimit = 8
    /// Connections of a user that have not greeted yet.
    private static let strangerLimit = 3
    /// Sessions of one worker.
    private static let sessionRange: UInt64 = 1 << 20
    /// How long a worker may take to greet: less than the 25 s that most callers wait.
    private static let startTimeout = Duration.seconds(10)
    /// The calls that come right after a worker has not started do not wait for it again.
    private static let failureLasts = Duration.seconds(1)

    /// - Parameters:
    ///   - starter: starts workers, which connect and greet.
    ///   - owner: a user whose worker is kept in any case.
    ///   - linger: how long a worker is kept after its last use. Its decoders stay loaded meanwhile.
    ///   - endTimeout: how long a worker may take to end, from the last commit that it reports. Service managers wait 10 s for
    ///     the end of a service, and a worker waits 2 s for its engines.
    ///   - mostUnread: the memory of messages that a worker may leave unread.
    ///   - accepts: whether a process may be a user's worker.
    init(
        starter: any WorkerStarter, owner: UInt32?, linger: Duration = .seconds(60),
        endTimeout: Duration = .seconds(5), mostUnread: Int = WorkerLink.usualUnread, logger: Logger,
        accepts: @escaping @EventLoopActor (WorkerLink.Process, UInt32) async -> Bool
    ) {
        self.starter = starter
        self.owner = owner
        self.linger = linger
        self.endTimeout = endTimeout
        self.mostUnread = mostUnread
        self.logger = logger
        self.accepts = accepts
    }

    /// - Parameter socket: the path at which workers connect.
    func begin(brokerAt socket: String, _ handlers: Handlers) {
        self.handlers = handlers
        starter.begin(brokerAt: socket) { [weak self] uid, refusal in self?.failed(uid, refusal) }
    }

    /// Starts the workers that are needed from the beginning.
    func startNeeded() {
        for uid in starter.neededUsers {
            known.insert(uid)
            do throws(Refusal) {
                try want(uid)
            } catch {
                logger.error(
                    "a worker is not started", metadata: ["uid": "\(uid)", "why": "\(error.message)"])
            }
        }
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
        guard known.contains(uid) || users.keys.count(where: { !known.contains($0) }) < Self.unknownLimit
        else {
            throw Refusal(
                .limitExceeded,
                "Workers of \(Self.unknownLimit) new users are being started: call again in some seconds.")
        }
        users[uid] = .starting(
            timeout: EventLoopActor.schedule(after: Self.startTimeout) { [weak self] in
                guard let self else { return }
                failed(
                    uid,
                    Refusal(
                        .timeout,
                        "The user's worker did not start within \(Self.startTimeout). \(starter.advice)"
                    ))
            })
        do throws(Refusal) {
            try starter.start(uid)
        } catch {
            failed(uid, error)
            throw error
        }
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
        guard strangers.count(where: { $0.process.uid == uid }) < Self.strangerLimit else { return false }
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
        if isWantedByNoCall(uid) { failures[uid, default: WorkerFailures()].add(at: .now) }
        _ = EventLoopActor.schedule(after: Self.failureLasts) { [weak self] in
            self?.startFailures[uid] = nil
            self?.startAgain(uid)
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
        guard let process = peer.process, expects(process.uid) else { return }
        let stranger = UnknownWorker(
            peer, process,
            UnknownWorker.Handlers { [weak self] stranger, greeting, call in
                self?.greeted(stranger, greeting, call)
            } ended: { [weak self] stranger in
                self?.remove(stranger)
            })
        strangers.append(stranger)
        _ = EventLoopActor.schedule(after: Self.startTimeout) { [weak self, weak stranger] in
            guard let self, let stranger, remove(stranger) else { return }
            Task { await stranger.close() }
        }
    }

    /// Returns whether it was still unknown.
    @discardableResult
    private func remove(_ stranger: UnknownWorker) -> Bool {
        guard let index = strangers.firstIndex(where: { $0 === stranger }) else { return false }
        strangers.remove(at: index)
        return true
    }

    private func greeted(_ stranger: UnknownWorker, _ greeting: WorkerGreeting, _ call: MethodCall) {
        Task {
            do throws(DBusError) {
                guard await accepts(stranger.process, greeting.uid) else {
                    throw DBusError.accessDenied("This process may not work for the user \(greeting.uid).")
                }
                await introduce(try accept(stranger, greeting), greeting, call)
            } catch {
                call.fail(error)
            }
        }
    }

    private func accept(
        _ stranger: UnknownWorker, _ greeting: WorkerGreeting
    ) throws(DBusError) -> WorkerLink {
        let uid = greeting.uid
        if isEnding { throw .failed("The service is ending.") }
        switch users[uid] {
        case .running, .ending: throw .limitsExceeded("The user has a worker.")
        case .starting, nil: break
        }
        guard remove(stranger) else { throw .accessDenied("This process is no longer expected.") }
        if case .starting(let timeout) = users[uid] { timeout.cancel() }
        let link = link(stranger.peer, greeting)
        users[uid] = .running(link)
        known.insert(uid)
        return link
    }

    private func link(_ peer: PeerConnection, _ greeting: WorkerGreeting) -> WorkerLink {
        WorkerLink(
            peer, of: greeting.uid, owners: Set(greeting.owners.map(\.name)), endTimeout: endTimeout,
            mostUnread: mostUnread, logger: logger,
            WorkerLink.Handlers { [weak self] link in
                self?.reconsider(link.uid)
            } answered: { [weak self] call, message in
                self?.handlers?.answered(call, message)
            } signalled: { [weak self] link, message in
                self?.handlers?.signalled(link, message)
            } ping: { [weak self] link, name, completion in
                guard let handlers = self?.handlers else { return completion(false) }
                handlers.ping(link, name, completion)
            } stuck: { [weak self] link in
                self?.starter.kill(link.uid)
            } ended: { [weak self] link in
                self?.ended(link)
            })
    }

    /// Replies to Hello, and passes the calls on that have waited.
    private func introduce(_ link: WorkerLink, _ greeting: WorkerGreeting, _ call: MethodCall) async {
        let uid = link.uid
        let last = firstNumber(after: greeting.lastSession, of: uid)
        let vanished = await vanished(of: greeting.owners.map(\.name))
        // If it has ended meanwhile, the next one is to restore what it should have restored.
        guard self[uid] === link else { return call.fail(.noReply("The connection has ended.")) }
        for identity in Set(greeting.owners.map(\.identity)).union(greeting.applications) {
            if let permission = handlers?.permission(identity) { link.inform(identity, permission) }
        }
        call.reply(
            DictationBrokerReply.hello(broker: [
                BrokerKey.session: .uint64(last),
                BrokerKey.vanished: Value(vanished.map(\.rawValue)),
            ]).body)
        handlers?.started(link, unfinished.removeValue(forKey: uid))
        resume(uid, nil)
        reconsider(uid)
    }

    /// The number after which the sessions of a new worker are counted. Those of earlier workers are not used again, unless one
    /// has claimed a number that no session has.
    private func firstNumber(after claimed: UInt64, of uid: UInt32) -> UInt64 {
        let before = sessions[uid].flatMap { $0 < WorkerGreeting.sessionLimit ? $0 : nil } ?? 0
        // Below the limit, so that the next range exists.
        let last = max(claimed, before)
        sessions[uid] = (last / Self.sessionRange + 1) * Self.sessionRange
        return last
    }

    /// Those owners that have left the bus. If that is not known they stay: unique names are not used again, so nobody else can
    /// call for them.
    private func vanished(of owners: [BusName]) async -> [BusName] {
        await withTaskGroup(of: BusName?.self) { group in
            var rest = owners[...]
            for owner in rest.prefix(Self.questionsAtOnce) { group.addTask { await self.ifVanished(owner) } }
            rest = rest.dropFirst(Self.questionsAtOnce)
            var vanished: [BusName] = []
            for await name in group {
                if let name { vanished.append(name) }
                if let next = rest.popFirst() { group.addTask { await self.ifVanished(next) } }
            }
            return vanished
        }
    }

    /// Of the bus.
    private static let questionsAtOnce = 16

    private func ifVanished(_ owner: BusName) async -> BusName? {
        do {
            return try await handlers?.owns(owner) == false ? owner : nil
        } catch {
            logger.warning("whether a session has an owner is not known", metadata: ["why": "\(error)"])
            return nil
        }
    }

    /// A connection has left the bus.
    func forget(_ name: BusName) {
        for (uid, names) in waiting { waiting[uid] = names.filter { $0 != name } }
        for (uid, sessions) in unfinished {
            let left = sessions.filter { BusName($0.owner) != name }
            // Nobody waits for them any more. Their text is in the journal.
            unfinished[uid] = left.isEmpty && !sessions.isEmpty ? nil : left
        }
        for case .running(let link) in users.values { link.forget(name) }
    }

    // MARK: The end

    /// Call when a worker may no longer be needed.
    func reconsider(_ uid: UInt32) {
        guard ends[uid] == nil, let link = self[uid], canEnd(link) else { return }
        ends[uid] = EventLoopActor.schedule(after: link.lastUse + linger - .now) { [weak self] in
            self?.ends[uid] = nil
            self?.endIfUnneeded(uid)
        }
    }

    private func endIfUnneeded(_ uid: UInt32) {
        guard let link = self[uid], canEnd(link) else { return }
        // It was used meanwhile.
        if link.lastUse + linger > .now { return reconsider(uid) }
        users[uid] = .ending(link)
        starter.release(uid)
        link.requestEnd()
    }

    private func canEnd(_ link: WorkerLink) -> Bool { link.uid != owner && link.isIdle }

    private func ended(_ link: WorkerLink) {
        let uid = link.uid
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
            if let left = link.unfinished { unfinished[uid] = left }
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
            guard isWantedByNoCall(uid) || isAwaited(uid) else { return }
            try want(uid)
        } catch {
            resume(uid, DBusError(error))
            guard let pause = failures[uid]?.pause(at: .now) else { return }
            retries.removeValue(forKey: uid)?.cancel()
            retries[uid] = EventLoopActor.schedule(after: pause) { [weak self] in
                self?.retries[uid] = nil
                self?.startAgain(uid)
            }
        }
    }

    /// Sessions wait for the worker, or it is always kept.
    private func isWantedByNoCall(_ uid: UInt32) -> Bool { unfinished[uid] != nil || uid == owner }

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
