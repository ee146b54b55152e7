import DBus
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// The connection to one user's worker, and the calls that it has not answered yet.
///
/// Calls are passed on as they are, in the order in which they come here. Before a client's first call the worker gets its
/// identity and its permission.
@EventLoopActor
final class WorkerLink {
    struct Handlers {
        /// The worker's first call. It is answered later.
        let greeted: @EventLoopActor (WorkerLink, WorkerGreeting, MethodCall) -> Void
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
    /// The user, once the worker has greeted.
    private(set) var uid: UInt32?
    private var calls: [CallKey: MethodCall] = [:]
    /// The clients that the worker knows.
    private var introduced: [BusName: Introduction] = [:]
    /// Connections with sessions of an earlier broker, which may not have called this one yet.
    private var owners: Set<BusName> = []
    /// The applications that the worker may have sessions of, also of connections that have gone.
    private(set) var identities: Set<Identity> = []
    /// Whether the worker has something that would be lost or missed.
    private(set) var isNeeded = false
    /// All sessions and their owners.
    private(set) var sessions: [WorkerSession] = []
    /// Asks now and then whether the worker still answers, while something waits for it.
    private var check: EventLoop.Timer?
    private var isEnding = false
    private(set) var saidBye = false
    private var hasLoggedStray = false

    private static let mostIdentities = 1024
    /// How often it is asked whether it answers, and how long it may take.
    private static let checkInterval = Duration.seconds(5)
    private static let checkTimeout = Duration.seconds(10)
    /// While it ends: service managers wait 10 s for the end of a service.
    private static let endingInterval = Duration.seconds(1)
    private static let endingTimeout = Duration.seconds(5)

    init(_ peer: PeerConnection, logger: Logger, _ handlers: Handlers) {
        self.peer = peer
        self.logger = logger
        self.handlers = handlers
        proxy = DictationWorkerProxy(connection: peer, destination: .peer)
        peer.export(
            DictationBrokerInterface.path, interfaces: [DictationBrokerInterface.description],
            handler: WorkerCalls(of: self))
        peer.receiveForOthers = { [weak self] in self?.receive($0) }
        peer.ended = { [weak self] in self?.end() }
    }

    typealias Process = (uid: UInt32, pid: UInt32)

    /// The user and the process at the other end, by the kernel.
    var process: Process? { peer.process }

    var isConnected: Bool { peer.isConnected }

    /// The desktop's own dialog.
    var prompter: WorkerPrompter { WorkerPrompter(worker: proxy) }

    /// A worker that could end without losing anything.
    var isIdle: Bool { !isNeeded && calls.isEmpty }

    /// The worker has proved that it works for this user.
    func accept(user: UInt32, owners: Set<BusName>) {
        uid = user
        self.owners = owners
    }

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
                Value(introduction.permission.statuses(of: Resource.dictation)),
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
            status: permission.statuses(of: Resource.dictation).mapValues { BusText($0) },
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
            [Value(identity.details), Value(permission.statuses(of: Resource.dictation))])
    }

    /// A connection has left the bus: its calls need no reply.
    func forget(_ name: BusName) {
        calls = calls.filter { $0.key.client != name }
        let wasKnown = introduced.removeValue(forKey: name) != nil
        if owners.remove(name) != nil || wasKnown { post(.vanished, [], for: name) }
        if isIdle { handlers.becameIdle(self) }
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
    func restore(_ sessions: [WorkerSession]) {
        post(
            .restore,
            [Value(sessions.map(\.number)), Value(sessions.map(\.owner))])
    }

    /// Whether something waits for the worker. What it does not read counts too: clients may have left, and their calls with
    /// them.
    private var isAwaited: Bool { !calls.isEmpty || isEnding || peer.outgoingBytes > 0 }

    /// A worker that stands still answers nobody. It is given up, and replaced.
    private func checkLater() {
        guard check == nil else { return }
        let interval = isEnding ? Self.endingInterval : Self.checkInterval
        check = EventLoopActor.schedule(after: interval) { [weak self] in
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
                timeout: isEnding ? Self.endingTimeout : Self.checkTimeout)
            check = nil
            checkLater()
        } catch {
            guard peer.isConnected else { return }
            logger.error("a worker does not answer", metadata: ["uid": "\(uid ?? 0)"])
            handlers.stuck(self)
            await peer.close(within: .zero)
        }
    }

    /// Asks the worker to end. It commits what is open, and answers.
    func requestEnd() {
        isEnding = true
        post(.end, [])
        check?.cancel()
        check = nil
        checkLater()
    }

    private func post(_ method: DictationWorkerMethod, _ body: [Value], for client: BusName? = nil) {
        do throws(DBusError) {
            try peer.callWithoutReply(
                destination: .peer, path: DictationWorkerInterface.path,
                interface: DictationWorkerInterface.name,
                member: MemberName(stringLiteral: method.rawValue), body, for: client)
            if peer.outgoingBytes > 0 { checkLater() }
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
        handlers.answered(call, message)
        if isIdle { handlers.becameIdle(self) }
    }

    /// A client that has gone explains some of them.
    func logStray() {
        if !hasLoggedStray {
            logger.debug("a worker's message has no receiver", metadata: ["uid": "\(uid ?? 0)"])
        }
        hasLoggedStray = true
    }

    fileprivate func handle(_ call: MethodCall) {
        do throws(DBusError) {
            let request = try DictationBrokerRequest(call)
            if case .hello(let worker) = request {
                return handlers.greeted(self, try WorkerGreeting(worker), call)
            }
            guard uid != nil else { throw DBusError.accessDenied("The first call is Hello.") }
            switch request {
            case .hello: break
            case .needed(let needed):
                isNeeded = needed
                call.reply(DictationBrokerReply.done.body)
                if isIdle { handlers.becameIdle(self) }
            case .sessions(let numbers, let owners):
                sessions = WorkerSession.list(numbers, owners)
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
        let left = calls.values
        calls = [:]
        for call in left {
            call.fail(.noReply("The user's worker has ended. Call again to start it anew."))
        }
        handlers.ended(self)
    }
}

/// The calls of a worker. They do not keep its link.
private final class WorkerCalls: ObjectHandler {
    @EventLoopActor private weak var link: WorkerLink?

    @EventLoopActor
    init(of link: WorkerLink) { self.link = link }

    @EventLoopActor
    func handle(_ call: MethodCall) {
        guard let link else { return call.fail(.noReply("The connection has ended.")) }
        link.handle(call)
    }
}
