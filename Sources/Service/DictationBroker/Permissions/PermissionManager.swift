import DBus
import Desktop
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Glibc
import Logging
import PermissionStore

/// Decides about permission: by the administrator's rules, else by the user's stored decision, else by asking the user.
@EventLoopActor
final class PermissionManager {
    /// What the broker does with changes.
    struct Handlers {
        /// An application's permission for these resources has changed. Returns when that holds.
        let obey: @EventLoopActor (Identity, Permission, [Resource]) async -> Void
        /// An application's permission for these resources has changed, and holds.
        let decided: @EventLoopActor (Identity, Permission, [Resource]) -> Void
        /// A connection may use these until it leaves the bus.
        let allowedOnce: @EventLoopActor (Client, [Resource]) -> Void
    }

    /// A prompter's answer, and which prompter, for the audit log.
    struct Answer: Sendable {
        let decision: Decision?
        let prompter: String
    }

    /// A call of RequestPermission that waits.
    private struct Request {
        let call: MethodCall
        let resources: [Resource]
    }

    let logger: Logger
    let store: PermissionStore
    private var rules: PermissionRules
    /// Those that type without being asked about it: see ``OwnPrograms``.
    private let ownPrograms: Set<String>
    /// Returns why a caller may not grant permissions; nil if it may.
    private let authorize: @Sendable (MethodCall) async -> Refusal?
    private let budgets: Budgets
    private let ask: @Sendable (Question) async -> Answer
    /// What connections may use until they leave the bus.
    private var allowedOnce: [Client: Set<Resource>] = [:]
    private(set) var handlers: Handlers?

    private var machine = QuestionMachine()
    private var calls: [CallID: Request] = [:]
    private var lastCall: UInt64 = 0
    private var asking: [QuestionID: Task<Void, Never>] = [:]
    /// Changes of the store, and readers of it, which are finished before it is closed.
    private var pendingTasks: [UInt64: Task<Void, Never>] = [:]
    private var lastTaskID: UInt64 = 0
    /// Calls that wait until polkit has asked the user.
    private var authorizing: [UInt64: Task<Refusal?, Never>] = [:]
    /// Applications whose last use is being stored.
    private var usesBeingStored: Set<Identity> = []
    private var prompters: [QuestionID: String] = [:]
    private var alarm: (deadline: Duration, timer: EventLoop.Timer)?
    private let epoch = SuspendingClock.now
    private var isEnding = false
    /// What the user has withdrawn and could not be stored.
    var unstored = UnstoredDecisions()
    /// Connections that called List, and get Changed signals of their user's permissions.
    var listeners: [BusName: UInt32] = [:]

    init(
        store: PermissionStore, rules: PermissionRules, ownPrograms: Set<String>, budgets: Budgets,
        logger: Logger, authorize: @escaping @Sendable (MethodCall) async -> Refusal?,
        ask: @escaping @Sendable (Question) async -> Answer
    ) {
        self.store = store
        self.rules = rules
        self.ownPrograms = ownPrograms
        self.logger = logger
        self.authorize = authorize
        self.budgets = budgets
        self.ask = ask
    }

    func begin(_ handlers: Handlers) { self.handlers = handlers }

    /// The decisions about an application, without permission for one time.
    func permission(of identity: Identity) -> Permission {
        var chosen = unstored.permission(of: identity, store.permission(of: identity))
        if chosen.typing == .notDetermined, identity.kind == .executable,
            ownPrograms.contains(identity.id.rawValue)
        {
            chosen.typing = .granted
        }
        guard var permission = rules.permission(of: identity) else { return chosen }
        for resource in Resource.allCases where permission[resource] == .notDetermined {
            permission[resource] = chosen[resource]
        }
        return permission
    }

    /// What a connection may use, including permission for one time.
    func permission(of client: Client) -> Permission {
        permission(of: client.identity).allowing(allowedOnce[client] ?? [])
    }

    /// What a connection may use until it leaves the bus.
    func onceAllowed(_ client: Client) -> Set<Resource> { allowedOnce[client] ?? [] }

    /// CheckPermission.
    func check(_ call: MethodCall, from client: Client) {
        let permission = permission(of: client)
        call.reply(
            DictationReply.checkPermission(
                status: permission.statuses(of: Resource.allCases), ready: permission.isReady
            ).body)
    }

    /// The administrator's rules have changed.
    /// - Parameter identities: the applications that use the service now.
    func update(_ new: PermissionRules, for identities: Set<Identity>) {
        guard new != rules else { return }
        let before = identities.map { ($0, permission(of: $0)) }
        rules = new
        perform { manager in
            for (identity, former) in before {
                let permission = manager.permission(of: identity)
                let changed = Resource.allCases.filter { permission[$0] != former[$0] }
                guard !changed.isEmpty else { continue }
                await manager.changed(identity, changed)
                let determined = changed.filter { permission[$0] != .notDetermined }
                if !determined.isEmpty { manager.handle(.determined(identity, determined)) }
            }
        }
    }

    func isAdministered(_ identity: Identity, _ resource: Resource) -> Bool {
        rules.permission(of: identity).map { $0[resource] != .notDetermined } ?? false
    }

    private static var ending: DBusError { DBusError(Refusal(.cancelled, "The service is ending.")) }

    /// RequestPermission.
    /// - Parameter waits: reply when the user has decided, not at once.
    func request(_ resources: [Resource], waits: Bool, _ call: MethodCall, from client: Client) {
        let permission = permission(of: client)
        let open = resources.filter { permission[$0] == .notDetermined }
        guard !open.isEmpty, waits else {
            call.reply(permission, resources)
            if !open.isEmpty, !isEnding { handle(.asked(nil, by: client, open)) }
            return
        }
        guard !isEnding else { return call.fail(Self.ending) }
        lastCall += 1
        let id = CallID(rawValue: lastCall)
        calls[id] = Request(call: call, resources: resources)
        handle(.asked(id, by: client, open))
    }

    /// An application has begun to dictate.
    func recordUse(of identity: Identity) {
        // A client that starts again and again must not delay the decisions that are stored after it.
        guard usesBeingStored.insert(identity).inserted else { return }
        let time = Self.now
        Task {
            defer { usesBeingStored.remove(identity) }
            do {
                try await store.recordUse(of: identity, at: time)
            } catch {
                logger.notice("the time of a dictation was not stored", metadata: ["why": "\(error)"])
            }
        }
    }

    func forget(_ name: BusName) {
        calls = calls.filter { $0.value.call.sender != name }
        listeners[name] = nil
        allowedOnce = allowedOnce.filter { $0.key.name.rawValue != name.rawValue }
        handle(.clientVanished(ClientName(name.rawValue)))
    }

    /// Replies to pending calls and closes the store after every question was withdrawn.
    func shutDown() async {
        isEnding = true
        let tasks = Array(asking.values)
        asking = [:]
        alarm?.timer.cancel()
        for request in calls.values { request.call.fail(Self.ending) }
        calls = [:]
        for task in tasks { task.cancel() }
        // The user may take minutes to answer polkit's dialog.
        for task in authorizing.values { task.cancel() }
        for task in tasks { await task.value }
        for task in pendingTasks.values { await task.value }
        do {
            try store.close()
        } catch {
            logger.error("\(error)")
        }
    }

    /// No decision is pending, no connection gets Changed signals, and none was allowed for one time.
    var isIdle: Bool {
        calls.isEmpty && machine.isIdle && pendingTasks.isEmpty && listeners.isEmpty && allowedOnce.isEmpty
    }

    /// In seconds since 1970.
    static var now: Int64 { Int64(time(nil)) }

    /// Asks polkit on the system bus why a caller may not grant permissions; nil if it may.
    func refusal(ofGrantBy call: MethodCall, from client: Client) async -> Refusal? {
        let lease: Budgets.Lease
        do throws(Refusal) {
            lease = try budgets.requireLease(.systemQuestions, of: .caller(client.identity, call.sender))
        } catch {
            return error
        }
        defer { lease.end() }
        lastTaskID += 1
        let number = lastTaskID
        let task = Task { await authorize(call) }
        authorizing[number] = task
        if isEnding { task.cancel() }
        let refusal = await task.value
        authorizing[number] = nil
        return isEnding ? Refusal(.cancelled, "The service is ending.") : refusal
    }

    func perform(_ body: @escaping @EventLoopActor (PermissionManager) async -> Void) {
        lastTaskID += 1
        let number = lastTaskID
        pendingTasks[number] = Task {
            await body(self)
            pendingTasks[number] = nil
        }
    }

    // MARK: Questions

    func handle(_ event: QuestionMachine.Event) {
        for effect in machine.handle(event, at: SuspendingClock.now - epoch) { perform(effect) }
        setAlarm()
    }

    private func perform(_ effect: QuestionMachine.Effect) {
        switch effect {
        case .ask(let id, let question):
            asking[id] = Task {
                let answer = await ask(question)
                guard asking.removeValue(forKey: id) != nil else { return }
                prompters[id] = answer.prompter
                // Without a prompter nobody has seen the question.
                handle(answer.prompter.isEmpty ? .unasked(id) : .answered(id, answer.decision))
                prompters[id] = nil
            }
        case .withdraw(let id):
            asking.removeValue(forKey: id)?.cancel()
        case .store(let id, let status, let question):
            let prompter = prompters.removeValue(forKey: id) ?? ""
            perform { manager in
                let refusal = await manager.decide(
                    status, for: question.resources, of: question.identity, by: prompter)
                manager.handle(.stored(id, refusal))
            }
        case .allowOnce(let client, let resources):
            allowedOnce[client, default: []].formUnion(resources)
            handlers?.allowedOnce(client, resources)
        case .reply(let id, let client):
            guard let request = calls.removeValue(forKey: id) else { return }
            request.call.reply(permission(of: client), request.resources)
        case .refuse(let id, let refusal):
            calls.removeValue(forKey: id)?.call.fail(DBusError(refusal))
        }
    }

    /// Stores a decision, then signals it. One that takes permission away also holds if it cannot be stored. Returns why it could
    /// not be stored.
    func decide(
        _ status: PermissionStatus, for resources: [Resource], of identity: Identity, by prompter: String
    ) async -> Refusal? {
        do throws(PermissionStoreError) {
            try PermissionStore.check(status, of: identity, by: prompter)
            await obeyBeforeItIsStored(status, for: resources, of: identity)
            try await store.set(status, for: resources, of: identity, by: prompter, at: Self.now)
        } catch {
            logger.error("a decision was not stored", metadata: ["why": "\(error)"])
            return await withdraw(status, for: resources, of: identity, error)
        }
        unstored.remove(resources, of: identity)
        logger.info(
            "decided",
            metadata: [
                "client": "\(identity.kind.rawValue):\(identity.id)", "status": "\(status.rawValue)",
                "by": "\(prompter)",
            ])
        await signal(status, for: resources, of: identity)
        return nil
    }

    /// Obeys a decision at once if it takes permission away, because a disk can be slow.
    func obeyBeforeItIsStored(
        _ status: PermissionStatus, for resources: [Resource], of identity: Identity
    ) async {
        guard status != .granted, unstored.insert(status, for: resources, of: identity) else { return }
        await obey(identity, resources)
    }

    /// Obeys a decision that could not be stored until the service ends, if it takes permission away.
    func withdraw(
        _ status: PermissionStatus, for resources: [Resource], of identity: Identity,
        _ error: PermissionStoreError
    ) async -> Refusal {
        guard status != .granted, error.kind != .invalid,
            unstored.insert(status, for: resources, of: identity)
        else { return Refusal(error) }
        await signal(status, for: resources, of: identity)
        let refusal = Refusal(error)
        return Refusal(
            refusal.kind,
            "The decision holds now, but will be forgotten when the service ends: \(refusal.message)")
    }

    private func signal(
        _ status: PermissionStatus, for resources: [Resource], of identity: Identity
    ) async {
        await changed(identity, resources)
        if status != .notDetermined { handle(.determined(identity, resources)) }
    }

    /// An application's permission for these resources has changed. Returns when that holds everywhere.
    func changed(_ identity: Identity, _ resources: [Resource]) async {
        await obey(identity, resources)
        handlers?.decided(identity, permission(of: identity), resources)
    }

    private func obey(_ identity: Identity, _ resources: [Resource]) async {
        let permission = permission(of: identity)
        for client in allowedOnce.keys where client.identity == identity {
            allowedOnce[client]?.formIntersection(permission.leftToAllowOnce)
        }
        await handlers?.obey(identity, permission, resources)
    }

    private func setAlarm() {
        let deadline = machine.nextDeadline
        guard deadline != alarm?.deadline else { return }
        alarm?.timer.cancel()
        alarm = deadline.map { deadline in
            let delay = max(.zero, deadline - (SuspendingClock.now - epoch))
            return (
                deadline, EventLoopActor.schedule(after: delay) { [weak self] in self?.deadlineReached() }
            )
        }
    }

    private func deadlineReached() {
        alarm = nil
        handle(.tick)
    }
}

extension MethodCall {
    /// Replies to RequestPermission.
    fileprivate func reply(_ permission: Permission, _ resources: [Resource]) {
        reply(DictationReply.requestPermission(status: permission.statuses(of: resources)).body)
    }
}
