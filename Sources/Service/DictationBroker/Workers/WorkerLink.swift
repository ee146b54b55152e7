import DBus
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// The connection to one user's worker, which has greeted and was accepted, and the calls that it has not answered yet.
///
/// Calls are passed on as they are, in the order in which they come here. Before a client's first call the worker gets its
/// identity and its permission.
@EventLoopActor
final class WorkerLink: ObjectHandler {
    struct Handlers {
        /// The worker may not be needed any more.
        let becameIdle: @EventLoopActor (WorkerLink) -> Void
        /// A reply to a client's call.
        let answered: @EventLoopActor (MethodCall, ReceivedMessage) -> Void
        /// A signal, for the client that is its destination, or for all.
        let signalled: @EventLoopActor (WorkerLink, ReceivedMessage) -> Void
        /// See ``SignalQueues/Handlers/ping``.
        let ping: @EventLoopActor (WorkerLink, BusName, @escaping @EventLoopActor (Bool) -> Void) -> Void
        /// The worker stands still. Its connection is closed after this.
        let stuck: @EventLoopActor (WorkerLink) -> Void
        /// The connection is closed.
        let ended: @EventLoopActor (WorkerLink) -> Void
    }

    /// What a worker knows of a client.
    struct Introduction: Equatable {
        let identity: Identity
        let permission: Permission
    }

    private struct CallKey: Hashable {
        let client: BusName
        let serial: UInt32
    }

    private let peer: PeerConnection
    private let proxy: DictationWorkerProxy
    private let logger: Logger
    private let handlers: Handlers
    /// The user.
    let uid: UInt32
    private var calls: [CallKey: MethodCall] = [:]
    /// The clients that the worker knows.
    private var introduced: [BusName: Introduction] = [:]
    /// Connections with sessions of an earlier broker, which may not have called this one yet.
    private var owners: Set<BusName>
    /// The applications that the worker may have sessions of, also of connections that have gone.
    private(set) var identities: Set<Identity> = []
    /// Whether the worker has something that would be lost or missed.
    private(set) var isNeeded = false
    /// All sessions and their owners; until it says which there are, those that it restores.
    private var sessions: [WorkerSession] = []
    /// It has not answered yet that it restores them.
    private var isRestoring = false
    /// The last call, reply or other sign of use.
    private(set) var lastUse = SuspendingClock.now
    /// Asks now and then whether the worker still answers, while something waits for it.
    private var check: EventLoop.Timer?
    /// It was cut off because it does not read or does not answer.
    private var isGivenUp = false
    /// When it is given up at the latest, while it ends.
    private var endLimit: SuspendingClock.Instant?
    private var endTimer: EventLoop.Timer?
    private let endTimeout: Duration
    private let mostUnread: Int
    private(set) var saidBye = false
    private var hasLoggedStray = false

    private static let mostIdentities = 1024
    /// A system bus drops a connection that sends more than 32 MiB. The worker's largest messages are texts of some MiB.
    private static let largestMessage = 4 << 20
    /// Memory of messages that a worker may leave unread. Calls in progress are limited to 8 MiB (``Budgets``), but a worker can
    /// answer calls that it has not read.
    static let usualUnread = 12 << 20
    /// How often it is asked whether it answers, and how long it may take.
    private static let checkInterval = Duration.seconds(5)
    private static let checkTimeout = Duration.seconds(10)
    /// How much longer it may take to end while it reports commits.
    private static let commitTime = Duration.seconds(2)

    /// - Parameters:
    ///   - uid: the user, for whom it has proved to work.
    ///   - owners: connections with sessions of an earlier broker.
    ///   - endTimeout: how long it may take to end, from the last commit that it reports.
    ///   - mostUnread: the memory of messages that it may leave unread.
    init(
        _ peer: PeerConnection, of uid: UInt32, owners: Set<BusName>, endTimeout: Duration, mostUnread: Int,
        logger: Logger, _ handlers: Handlers
    ) {
        self.peer = peer
        self.uid = uid
        self.owners = owners
        self.endTimeout = endTimeout
        self.mostUnread = mostUnread
        self.logger = logger
        self.handlers = handlers
        proxy = DictationWorkerProxy(connection: peer, destination: .peer)
        peer.export(
            DictationBrokerInterface.path, interfaces: [DictationBrokerInterface.description],
            handler: WeakHandler(self))
        peer.receiveForOthers = { [weak self] in self?.receive($0) }
        peer.queued = { [weak self] in self?.didQueue($0) }
        peer.ended = { [weak self] in self?.end() }
        peer.limitMessages(to: Self.largestMessage)
    }

    typealias Process = (uid: UInt32, pid: UInt32)

    var isConnected: Bool { peer.isConnected }

    /// The desktop's own dialog.
    var prompter: WorkerPrompter { WorkerPrompter(worker: proxy) }

    /// A worker that could end without losing anything.
    var isIdle: Bool { !isNeeded && !isRestoring && calls.isEmpty }

    /// The sessions that another worker has to restore if this one fails; nil if nothing would be lost or missed.
    var unfinished: [WorkerSession]? { isNeeded || isRestoring ? sessions : nil }

    func close() async { await peer.close(within: .seconds(1)) }

    // MARK: To the worker

    /// Passes a call on, or fails it.
    func pass(_ call: MethodCall) {
        guard let message = call.message else {
            return call.fail(.failed("\(call.member) was decoded: an error in the service"))
        }
        do throws(DBusError) {
            try peer.send(message)
            calls[CallKey(client: call.sender, serial: call.serial)] = call
            lastUse = .now
            checkLater()
        } catch {
            call.fail(error)
        }
    }

    /// Who a client is, if the worker does not know that.
    /// - Parameter allowedOnce: what it may use until it leaves the bus.
    func introduce(_ name: BusName, _ introduction: Introduction, allowedOnce: Set<Resource>) {
        guard introduced[name] != introduction else { return }
        let isNew = introduced.updateValue(introduction, forKey: name) == nil
        if identities.count < Self.mostIdentities { identities.insert(introduction.identity) }
        post(
            .client,
            [
                Value(introduction.identity.details),
                Value(introduction.permission.statuses(of: Resource.allCases)),
            ], for: name)
        if isNew, !allowedOnce.isEmpty { allowOnce(Array(allowedOnce), name) }
    }

    func allowOnce(_ resources: [Resource], _ name: BusName) {
        guard introduced[name] != nil else { return }
        post(.allowedOnce, [Value(resources.map(\.rawValue))], for: name)
    }

    /// Returns when the worker obeys a decision.
    func decided(_ identity: Identity, _ permission: Permission) async throws {
        for (name, introduction) in introduced where introduction.identity == identity {
            introduced[name] = Introduction(identity: identity, permission: permission)
        }
        try await proxy.permission(
            client: identity.details,
            status: permission.statuses(of: Resource.allCases).mapValues { BusText($0) },
            timeout: Self.permissionTimeout)
    }

    /// A worker that does not obey a decision within this time is cut off.
    private static let permissionTimeout = Duration.seconds(1)

    /// The application of a process of the worker's user, which the caller holds.
    func identify(_ process: UInt32) async throws -> [BusText: Value] {
        try await proxy.identify(pid: process, timeout: Self.identifyTimeout)
    }

    private static let identifyTimeout = Duration.seconds(3)

    /// What an application may do, of which the worker has sessions.
    func inform(_ identity: Identity, _ permission: Permission) {
        if identities.count < Self.mostIdentities { identities.insert(identity) }
        post(
            .permission,
            [Value(identity.details), Value(permission.statuses(of: Resource.allCases))])
    }

    /// A connection has left the bus: its calls need no reply.
    func forget(_ name: BusName) {
        calls = calls.filter { $0.key.client != name }
        let wasKnown = introduced.removeValue(forKey: name) != nil
        if owners.remove(name) != nil || wasKnown { post(.vanished, [], for: name) }
        becomeIdle()
    }

    /// Sends a call once more. Nobody waits for the reply.
    func `repeat`(_ call: ReceivedMessage) {
        do throws(DBusError) {
            try peer.send(call)
        } catch {
            logger.debug("a subscription was not renewed", metadata: ["why": "\(error)"])
        }
    }

    /// All clients are introduced: the sessions that another worker had return, or are over.
    func restore(_ lost: [WorkerSession]) {
        sessions = lost
        isRestoring = true
        checkLater()
        // Sent before what follows.
        Task.immediate {
            do {
                _ = try await peer.call(
                    destination: .peer, path: DictationWorkerInterface.path,
                    interface: DictationWorkerInterface.name,
                    member: MemberName(stringLiteral: DictationWorkerMethod.restore.rawValue),
                    [Value(lost.map(\.number)), Value(lost.map(\.owner))], timeout: nil)
                isRestoring = false
                becomeIdle()
            } catch {
                // Its end is reported anyway.
                logger.debug("sessions were not restored", metadata: ["why": "\(error)"])
            }
        }
    }

    /// Whether something waits for the worker. What it does not read counts too: clients may have left, and their calls with
    /// them.
    private var isAwaited: Bool { !calls.isEmpty || isRestoring || peer.outgoingBytes > 0 }

    /// A worker that stands still answers nobody. It is given up, and replaced.
    private func checkLater() {
        guard check == nil, endLimit == nil else { return }
        check = EventLoopActor.schedule(after: Self.checkInterval) { [weak self] in
            guard let self, isAwaited else {
                self?.check = nil
                return
            }
            Task { await self.checkNow() }
        }
    }

    private func checkNow() async {
        do {
            _ = try await peer.call(
                destination: .peer, path: DictationWorkerInterface.path, interface: .peer, member: "Ping",
                timeout: Self.checkTimeout)
            check = nil
            checkLater()
        } catch {
            if endLimit == nil { await giveUp("a worker does not answer") }
        }
    }

    /// A message waits for the worker to read.
    private func didQueue(_ memory: Int) {
        checkLater()
        guard memory > mostUnread else { return }
        // Not now: what is being sent counts as sent.
        Task { await giveUp("a worker does not read") }
    }

    private func giveUp(_ why: String) async {
        guard peer.isConnected, !isGivenUp else { return }
        isGivenUp = true
        logger.error("\(why)", metadata: ["uid": "\(uid)"])
        handlers.stuck(self)
        await peer.close(within: .zero)
    }

    /// Asks the worker to end. It commits what is open, and answers. One that does not end in time is cut off.
    func requestEnd() {
        guard endLimit == nil else { return }
        endLimit = .now + endTimeout + Self.commitTime
        post(.end, [])
        check?.cancel()
        check = nil
        awaitEnd()
    }

    /// It may take some time to end, from now.
    private func awaitEnd() {
        guard let endLimit else { return }
        endTimer?.cancel()
        endTimer = EventLoopActor.schedule(after: min(endTimeout, endLimit - .now)) { [weak self] in
            guard let self else { return }
            logger.error("a worker does not end", metadata: ["uid": "\(uid)"])
            Task { await self.peer.close(within: .zero) }
        }
    }

    private func post(_ method: DictationWorkerMethod, _ body: [Value], for client: BusName? = nil) {
        do throws(DBusError) {
            try peer.callWithoutReply(
                destination: .peer, path: DictationWorkerInterface.path,
                interface: DictationWorkerInterface.name,
                member: MemberName(stringLiteral: method.rawValue), body, for: client)
        } catch {
            // Its end is reported anyway.
            logger.debug("a worker was not notified", metadata: ["why": "\(error)"])
        }
    }

    // MARK: From the worker

    private func receive(_ message: ReceivedMessage) {
        guard message.header.kind != .signal else { return handlers.signalled(self, message) }
        guard let client = message.header.destination, let serial = message.header.replySerial,
            let call = calls.removeValue(forKey: CallKey(client: client, serial: serial))
        else { return logStray() }
        lastUse = .now
        awaitEnd()
        handlers.answered(call, message)
        becomeIdle()
    }

    private func becomeIdle() {
        if isIdle { handlers.becameIdle(self) }
    }

    /// A client that has gone explains some of them.
    func logStray() {
        if !hasLoggedStray {
            logger.debug("a worker's message has no receiver", metadata: ["uid": "\(uid)"])
        }
        hasLoggedStray = true
    }

    func handle(_ call: MethodCall) {
        do throws(DBusError) {
            switch try DictationBrokerRequest(call) {
            case .hello: throw DBusError.accessDenied("Only the first call is Hello.")
            case .needed(let needed):
                if isNeeded != needed { lastUse = .now }
                isNeeded = needed
                call.reply(DictationBrokerReply.done.body)
                becomeIdle()
            case .sessions(let numbers, let owners):
                let before = sessions.count
                sessions = WorkerSession.list(numbers, owners)
                if sessions.count < before { awaitEnd() }
                call.reply(DictationBrokerReply.done.body)
            case .ping(let client):
                guard let name = BusName(client), introduced[name] != nil else {
                    return call.reply(DictationBrokerReply.ping(answered: false).body)
                }
                handlers.ping(self, name) { answered in
                    call.reply(DictationBrokerReply.ping(answered: answered).body)
                }
            case .bye:
                saidBye = true
                call.reply(DictationBrokerReply.done.body)
            }
        } catch {
            call.fail(error)
        }
    }

    private func end() {
        check?.cancel()
        endTimer?.cancel()
        let left = calls.values
        calls = [:]
        for call in left {
            call.fail(.noReply("The user's worker has ended. Call again to start it anew."))
        }
        handlers.ended(self)
    }
}
