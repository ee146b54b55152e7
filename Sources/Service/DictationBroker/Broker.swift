import DBus
import DictationBus
import DictationConfiguration
import DictationCore
import DictationInterface
import EventLoop
import Logging
import PermissionStore

/// The owner of the service's name. It identifies callers, checks whether they may call, answers what concerns permission, and
/// passes everything else to the worker of the caller's user, undecoded.
@EventLoopActor
final class Broker {
    private let connection: Connection
    let agents: AgentRegistry
    let permissions: PermissionManager
    let workers: Workers
    let callers: Callers
    let mailboxes: Mailboxes
    private let budgets: Budgets
    private let pings: ClientPings
    private let signals: PermissionSignals
    private let policy: AccessPolicy
    /// The user of a session bus; nil on the system bus.
    private let uid: UInt32?
    private let logger: Logger
    /// The calls by which each connection has subscribed, for the next worker: the last one of each interface.
    private var subscriptions: [BusName: [InterfaceName: ReceivedMessage]] = [:]
    private var lastNeeded = SuspendingClock.now

    /// - Parameters:
    ///   - uid: the user of a session bus; nil on the system bus.
    ///   - ownPrograms: see ``OwnPrograms``.
    ///   - identifier: identifies clients.
    ///   - authorize: returns why a caller may not grant permissions.
    init(
        connection: Connection, uid: UInt32?, rules: PermissionRules, ownPrograms: Set<String>,
        identifier: any Identifier,
        workers: Workers, store: PermissionStore, logger: Logger,
        authorize: @escaping @Sendable (MethodCall) async -> Refusal?
    ) {
        self.connection = connection
        self.uid = uid
        self.logger = logger
        self.workers = workers
        policy = AccessPolicy(uid: uid)
        let budgets = Budgets(limitsStrangers: uid == nil)
        self.budgets = budgets
        let agents = AgentRegistry(connection: connection, logger: logger, budgets: budgets)
        self.agents = agents
        let prompters = PromptChain(agents: agents, logger: logger) { uid in await workers[uid] }
        let permissions = PermissionManager(
            store: store, rules: rules, ownPrograms: ownPrograms, budgets: budgets, logger: logger,
            authorize: authorize,
            ask: { await prompters.ask($0) })
        self.permissions = permissions
        let callers = Callers(connection: connection, identifier: identifier, logger: logger)
        self.callers = callers
        mailboxes = Mailboxes(budgets: budgets) { callers.payer($0) }
        pings = ClientPings(connection: connection, budgets: budgets) { name in
            callers.caller(name)?.client.identity.uid
        }
        signals = PermissionSignals(on: connection, pings: pings, logger: logger)
    }

    /// Requests the name on the bus. Throws if it is taken.
    /// - Parameter socket: the path at which workers connect.
    func begin(brokerAt socket: String) async throws {
        permissions.begin(
            PermissionManager.Handlers { [weak self] identity, permission, resources in
                await self?.obey(identity, permission, resources)
            } decided: { [weak self] identity, permission, resources in
                self?.decided(identity, permission, resources)
            } allowedOnce: { [weak self] client, resources in
                self?.allowedOnce(client, resources)
            })
        signals.begin { [permissions] name in permissions.listeners[name] = nil }
        callers.begin(
            Callers.Handlers { [mailboxes] name in
                mailboxes.charge(name)
            } identified: { [mailboxes] name, error in
                if let error { mailboxes.fail(name, error) }
                mailboxes.resume(name, .identification)
                // Those that still wait count for the application now.
                mailboxes.charge(name)
            })
        workers.begin(
            brokerAt: socket,
            Workers.Handlers { [mailboxes] names, error in
                for name in names {
                    if let error { mailboxes.fail(name, error) }
                    mailboxes.resume(name, .worker)
                }
            } answered: { [weak self] call, message in
                self?.answered(call, message)
                call.reply(with: message)
            } signalled: { [weak self] link, message in
                self?.pass(message, from: link)
            } ping: { [pings, callers] link, name, completion in
                guard callers.caller(name)?.client.identity.uid == link.uid else { return completion(false) }
                pings.ping(name, completion)
            } permission: { [permissions] identity in
                permissions.permission(of: identity)
            } owns: { [connection] name in
                try await connection.owner(of: name) != nil
            } started: { [weak self] link, lost in
                self?.workerStarted(link, lost)
            })
        connection.export(
            DictationInterface.path,
            interfaces: [
                DictationInterface.description, DictationTypingInterface.description,
                DictationPermissionsInterface.description, DictationHistoryInterface.description,
                DictationAgentManagerInterface.description,
            ], handler: self)
        try await connection.onVanished { [weak self] name in self?.forget(name) }
        workers.startNeeded()
        guard try await connection.requestName(DictationInterface.busName) == .primaryOwner else {
            throw DaemonError.nameTaken
        }
    }

    /// The administrator's rules have changed.
    func update(_ rules: PermissionRules) {
        permissions.update(rules, for: callers.identities.union(workers.identities))
    }

    /// Ends every session, and waits until all calls in progress are answered.
    func shutDown() async {
        // Questions are withdrawn before the workers close their dialogs.
        async let withdrawn: Void = permissions.shutDown()
        await workers.shutDown()
        await withdrawn
        await agents.releaseAll()
    }

    /// The connection to the bus was lost.
    func abandon() async {
        workers.abandon()
        await permissions.shutDown()
    }

    // MARK: Going when nobody needs it

    /// Since when the service could have ended without losing anything; now, if it could not end.
    func unneededSince() -> SuspendingClock.Instant {
        if !isIdle { lastNeeded = .now }
        return lastNeeded
    }

    private var isIdle: Bool {
        workers.areIdle && callers.isIdle && permissions.isIdle && mailboxes.isIdle
            && !connection.hasWaitingCalls
    }

    /// Releases the name, so that the next call starts another service. Returns false if a call came before that: then
    /// this service goes on.
    func leave() async throws -> Bool {
        // With a session it never releases the name, because clients would take the session for lost.
        guard isIdle else { return false }
        mailboxes.hold()
        // After the reply, no call can arrive by that name.
        try await connection.releaseName(DictationInterface.busName)
        if isIdle { return true }
        // Meanwhile the bus delivers calls that would have started another service.
        let reply = try await connection.requestName(DictationInterface.busName)
        mailboxes.release()
        guard reply == .primaryOwner else { throw DaemonError.nameTaken }
        return false
    }

    private func forget(_ name: BusName) {
        mailboxes.forget(name)
        workers.forget(name)
        subscriptions[name] = nil
        guard callers.forget(name).hadCalled else { return }
        permissions.forget(name)
        agents.forget(name)
        signals.forget(name)
    }

    // MARK: Permission

    private func allowedOnce(_ client: Client, _ resources: [Resource]) {
        guard let name = BusName(client.name.rawValue) else { return }
        workers[client.identity.uid]?.allowOnce(resources, name)
        for resource in resources { signals.send(resource, .granted, to: [name]) }
    }

    /// The worker obeys first: its signals about it come before the one about the permission.
    /// Returns when the user's worker obeys a decision. One that goes on with what is not granted is cut off.
    private func obey(_ identity: Identity, _ permission: Permission, _ resources: [Resource]) async {
        guard let link = await workers.started(identity.uid) else { return }
        do {
            try await link.decided(identity, permission)
        } catch {
            logger.error("a worker does not obey a decision", metadata: ["why": "\(error)"])
            if resources.contains(where: { permission[$0] != .granted }) { await link.close() }
        }
    }

    private func decided(_ identity: Identity, _ permission: Permission, _ resources: [Resource]) {
        let names = callers.names(of: identity)
        for resource in resources {
            signals.send(resource, permission[resource], to: names)
            let change = DictationPermissionsSignal.changed(
                client: identity.details, resource: resource.rawValue, status: permission[resource].rawValue)
            signals.send(change, to: permissions.listeners(ofUser: identity.uid))
        }
    }

    private func requestPermission(_ call: MethodCall, from client: Client) throws(DBusError) {
        guard case .requestPermission(let words, let options) = try DictationRequest(call) else { return }
        do throws(Refusal) {
            let waits = try OptionReader(options: options).bool(RequestPermissionOption.wait) ?? true
            var resources: [Resource] = []
            for word in words {
                let resource = try Resource(word: word)
                if !resources.contains(resource) { resources.append(resource) }
            }
            permissions.request(resources, waits: waits, call, from: client)
        } catch {
            throw DBusError(error)
        }
    }

    // MARK: Calls

    private func receive(_ call: MethodCall, from caller: Caller) -> Mailboxes.Progress {
        do throws(DBusError) {
            if let refusal = policy.refusal(of: call.member, call.interface, by: caller) {
                throw DBusError(refusal)
            }
            let client = caller.client
            switch (call.interface, DictationMethod(rawValue: call.member.rawValue)) {
            case (DictationPermissionsInterface.name, _):
                try count(call, as: .calls, of: client)
                permissions.handle(try DictationPermissionsRequest(call), call, from: client)
            case (DictationAgentManagerInterface.name, _):
                try count(call, as: .calls, of: client)
                agents.handle(try DictationAgentManagerRequest(call), call, from: client)
            case (DictationTypingInterface.name, _), (DictationHistoryInterface.name, _):
                return try pass(call, as: .calls, from: client)
            case (_, .requestPermission):
                try count(call, as: .permissionRequests, of: client)
                try requestPermission(call, from: client)
            case (_, .checkPermission):
                try count(call, as: .calls, of: client)
                permissions.check(call, from: client)
            // Programs with too many calls must not keep others from stopping.
            case (_, .pause), (_, .cancel), (_, .stop), (_, .stopAll):
                return try pass(call, as: .stoppingCalls, from: client)
            case (_, .start), (_, .resume), (_, .commit), (_, .subscribe), (_, .getSession), (_, .listRoutes),
                (_, .selectRoute), (_, nil):
                return try pass(call, as: .calls, from: client)
            }
        } catch {
            call.fail(error)
        }
        return .taken
    }

    /// Reads of the properties.
    private func receiveProperties(_ call: MethodCall, from caller: Caller) -> Mailboxes.Progress {
        do throws(DBusError) {
            guard policy.kind(of: caller.client.identity) != .stranger else {
                throw .accessDenied("This service belongs to another user.")
            }
            return try pass(call, as: .calls, from: caller.client)
        } catch {
            call.fail(error)
            return .taken
        }
    }

    /// Passes a call on to the user's worker, or waits for it.
    private func pass(
        _ call: MethodCall, as item: Budgets.Item, from client: Client
    ) throws(DBusError) -> Mailboxes.Progress {
        let uid = client.identity.uid
        do throws(Refusal) {
            guard let link = try workers.link(of: uid, for: call.sender) else { return .waits(for: .worker) }
            try budgets.count(call, as: item, of: .caller(client.identity, call.sender))
            introduce(client, call.sender, to: link)
            link.pass(call)
            return .taken
        } catch {
            throw DBusError(error)
        }
    }

    /// A worker has replied to a call.
    private func answered(_ call: MethodCall, _ message: ReceivedMessage) {
        guard message.header.kind == .methodReturn else { return }
        if call.interface == DictationInterface.name,
            DictationMethod(rawValue: call.member.rawValue) == .start,
            let client = callers.caller(call.sender)?.client
        {
            permissions.recordUse(of: client.identity)
        }
        guard call.bytes <= Self.longestSubscription, let original = call.message, isSubscription(call) else {
            return
        }
        subscriptions[call.sender, default: [:]][call.interface] = original
    }

    /// Whether the caller gets signals from this call on, until it leaves the bus.
    private func isSubscription(_ call: MethodCall) -> Bool {
        if call.interface == DictationInterface.name {
            return DictationMethod(rawValue: call.member.rawValue) == .subscribe
        }
        guard call.interface == DictationHistoryInterface.name,
            DictationHistoryMethod(rawValue: call.member.rawValue) == .list,
            case .list(let options)? = try? DictationHistoryRequest(call)
        else { return false }
        return options[HistoryOption.changes] == .bool(true)
    }

    /// In bytes.
    private static let longestSubscription = 4096

    /// A worker gets the clients that have subscribed to its signals, and their subscriptions. One that replaces a worker that
    /// failed gets all clients, and restores their sessions.
    /// - Parameter lost: the sessions of the worker that failed; nil if none has.
    private func workerStarted(_ link: WorkerLink, _ lost: [WorkerSession]?) {
        budgets.admit(link.uid)
        callers.workerStarted(of: link.uid)
        for caller in callers.known where caller.client.identity.uid == link.uid {
            guard let name = BusName(caller.client.name.rawValue) else { continue }
            let calls = subscriptions[name] ?? [:]
            if lost == nil, calls.isEmpty { continue }
            introduce(caller.client, name, to: link)
            for call in calls.values { link.repeat(call) }
        }
        if let lost { link.restore(lost) }
    }

    private func introduce(_ client: Client, _ name: BusName, to link: WorkerLink) {
        link.introduce(
            name,
            WorkerLink.Introduction(
                identity: client.identity,
                permission: permissions.permission(of: client.identity)),
            allowedOnce: permissions.onceAllowed(client))
    }

    private func count(
        _ call: MethodCall, as item: Budgets.Item, of client: Client
    ) throws(DBusError) {
        do throws(Refusal) {
            try budgets.count(call, as: item, of: .caller(client.identity, call.sender))
        } catch {
            throw DBusError(error)
        }
    }

    // MARK: Signals

    /// A worker reaches only the clients of its own user.
    private func pass(_ signal: ReceivedMessage, from link: WorkerLink) {
        let header = signal.header
        guard header.path == DictationInterface.path,
            [
                DictationInterface.name, DictationTypingInterface.name, DictationHistoryInterface.name,
                .properties,
            ].contains(header.interface)
        else { return link.logStray() }
        if let name = header.destination {
            guard let receiver = callers.caller(name), receiver.client.identity.uid == link.uid else {
                return link.logStray()
            }
        } else if link.uid != uid {
            return link.logStray()
        }
        do {
            try connection.send(signal)
        } catch {
            logger.debug("a signal was not sent", metadata: ["why": "\(error)"])
        }
    }
}

// MARK: - The object

extension Broker: ObjectHandler {
    func handle(_ call: MethodCall) {
        deliver(call) { [weak self] caller in
            self?.receive(call, from: caller) ?? .taken
        }
    }

    /// The worker has the properties.
    func prepareProperties(
        for call: MethodCall, _ proceed: @escaping @EventLoopActor (Result<Void, DBusError>) -> Void
    ) {
        deliver(call) { [weak self] caller in
            self?.receiveProperties(call, from: caller) ?? .taken
        }
    }

    /// - Parameter perform: called with the caller when it is identified, in the order of the connection's calls.
    private func deliver(
        _ call: MethodCall,
        _ perform: @escaping @EventLoopActor (Caller) -> Mailboxes.Progress
    ) {
        lastNeeded = .now
        signals.recordCall(of: call.sender)
        mailboxes.deliver(
            Mailboxes.Letter(
                sender: call.sender, size: call.bytes, descriptors: call.descriptors,
                perform: { [callers] in
                    guard let caller = callers.identifiedCaller(call.sender) else {
                        return .waits(for: .identification)
                    }
                    return perform(caller)
                }, fail: { call.fail($0) }))
    }
}
