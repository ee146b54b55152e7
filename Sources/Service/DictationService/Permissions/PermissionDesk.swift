import DBus
import Desktop
import DictationCore
import DictationInterface
import EventLoop
import Glibc
import Logging
import PermissionStore

/// Where permission is decided: by the administrator's rules, else by what the user has decided before, else by
/// asking.
@EventLoopActor
final class PermissionDesk {
    /// What the rest of the service has to know.
    enum Change: Sendable {
        /// What an application may do has changed in these resources.
        case decided(Identity, Permission, [Resource])
        case allowedOnce(Client, [Resource])
    }

    /// What a prompter said, and which it was, for the audit trail.
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
    private let rules: PermissionRules
    /// Why a caller may not let applications dictate; nil where it may.
    private let authorize: @Sendable (MethodCall) async -> Refusal?
    private let budgets: UserBudgets
    private let ask: @Sendable (Question) async -> Answer
    /// What a connection may do now, with what it was allowed for once.
    private let status: @EventLoopActor (Client) -> Permission
    private(set) var tell: @EventLoopActor (Change) -> Void = { _ in }

    private var machine = QuestionMachine()
    private var calls: [CallID: Request] = [:]
    private var lastCall: UInt64 = 0
    private var asking: [QuestionID: Task<Void, Never>] = [:]
    /// What is done with the store for settings panels.
    private var pendingTasks: [UInt64: Task<Void, Never>] = [:]
    private var lastTaskID: UInt64 = 0
    private var prompters: [QuestionID: String] = [:]
    private var alarm: (deadline: Duration, timer: EventLoop.Timer)?
    private let epoch = SuspendingClock.now
    private var isEnding = false
    /// Connections that called List, and get Changed of their own user's.
    var listeners: [BusName: UInt32] = [:]

    init(
        store: PermissionStore, rules: PermissionRules, budgets: UserBudgets,
        logger: Logger, authorize: @escaping @Sendable (MethodCall) async -> Refusal?,
        ask: @escaping @Sendable (Question) async -> Answer,
        status: @escaping @EventLoopActor (Client) -> Permission
    ) {
        self.store = store
        self.rules = rules
        self.logger = logger
        self.authorize = authorize
        self.budgets = budgets
        self.ask = ask
        self.status = status
    }

    /// Begins to tell what changes.
    func begin(_ tell: @escaping @EventLoopActor (Change) -> Void) {
        self.tell = tell
    }

    /// What has been decided about an application, apart from what it was allowed for once.
    func permission(of identity: Identity) -> Permission {
        rules.permission(of: identity) ?? store.permission(of: identity)
    }

    func isAdministered(_ identity: Identity) -> Bool { rules.permission(of: identity) != nil }

    private static var ending: DBusError { DBusError(Refusal(.cancelled, "The service is ending.")) }

    /// RequestPermission.
    /// - Parameter waits: the call is answered when the user has decided, not at once.
    func request(_ resources: [Resource], waits: Bool, _ call: MethodCall, from client: Client) {
        let permission = status(client)
        let open = resources.filter { permission[$0] == .notDetermined }
        guard !open.isEmpty, waits else {
            call.reply(permission, resources)
            if !open.isEmpty, !isEnding { take(.asked(nil, by: client, open)) }
            return
        }
        guard !isEnding else { return call.fail(Self.ending) }
        lastCall += 1
        let id = CallID(rawValue: lastCall)
        calls[id] = Request(call: call, resources: resources)
        take(.asked(id, by: client, open))
    }

    /// An application has begun to dictate.
    func noteUse(of identity: Identity) {
        let time = Self.now
        Task {
            do {
                try await store.recordUse(of: identity, at: time)
            } catch {
                logger.notice("a use was not noted", metadata: ["why": "\(error)"])
            }
        }
    }

    func forget(_ name: BusName) {
        calls = calls.filter { $0.value.call.sender != name }
        listeners[name] = nil
        take(.clientVanished(ClientName(name.rawValue)))
    }

    /// Answers whoever waits, and gives the store back when every question is withdrawn.
    func shutDown() async {
        isEnding = true
        let tasks = Array(asking.values)
        asking = [:]
        alarm?.timer.cancel()
        for request in calls.values { request.call.fail(Self.ending) }
        calls = [:]
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        for task in pendingTasks.values { await task.value }
        do {
            try store.close()
        } catch {
            logger.error("\(error)")
        }
    }

    /// Nothing is being decided, and nobody is to be told of it.
    var isIdle: Bool { calls.isEmpty && machine.isIdle && pendingTasks.isEmpty && listeners.isEmpty }

    /// In seconds since 1970.
    static var now: Int64 { Int64(time(nil)) }

    /// Why a caller may not let applications dictate, asked of polkit on the system bus; nil where it may.
    func refusal(ofGrantBy call: MethodCall, ofUser uid: UInt32) async -> Refusal? {
        do throws(Refusal) {
            let lease = try budgets.requireLease(.systemQuestions, of: .user(uid))
            defer { lease.end() }
            return await authorize(call)
        } catch {
            return error
        }
    }

    func perform(_ body: @escaping @EventLoopActor (PermissionDesk) async -> Void) {
        lastTaskID += 1
        let number = lastTaskID
        pendingTasks[number] = Task {
            await body(self)
            pendingTasks[number] = nil
        }
    }

    // MARK: Questions

    private func take(_ event: QuestionMachine.Event) {
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
                take(.answered(id, answer.decision))
                prompters[id] = nil
            }
        case .withdraw(let id):
            asking.removeValue(forKey: id)?.cancel()
        case .store(let id, let status, let question):
            let prompter = prompters.removeValue(forKey: id) ?? ""
            Task {
                let refusal = await decide(
                    status, for: question.resources, of: question.identity, by: prompter)
                take(.stored(id, refusal))
            }
        case .allowOnce(let client, let resources):
            tell(.allowedOnce(client, resources))
        case .reply(let id, let client):
            guard let request = calls.removeValue(forKey: id) else { return }
            request.call.reply(status(client), request.resources)
        case .refuse(let id, let refusal):
            calls.removeValue(forKey: id)?.call.fail(DBusError(refusal))
        }
    }

    /// Stores a decision, then lets everybody know. Returns why it could not be stored.
    func decide(
        _ status: PermissionStatus, for resources: [Resource], of identity: Identity, by prompter: String
    ) async -> Refusal? {
        do throws(PermissionStoreError) {
            try await store.set(status, for: resources, of: identity, by: prompter, at: Self.now)
        } catch {
            logger.error("a decision was not stored", metadata: ["why": "\(error)"])
            return Refusal(error)
        }
        logger.info(
            "decided",
            metadata: [
                "client": "\(identity.kind.rawValue):\(identity.id)", "status": "\(status.rawValue)",
                "by": "\(prompter)",
            ])
        tell(.decided(identity, permission(of: identity), resources))
        if status != .notDetermined { take(.determined(identity, resources)) }
        return nil
    }

    private func setAlarm() {
        let deadline = machine.nextDeadline
        guard deadline != alarm?.deadline else { return }
        alarm?.timer.cancel()
        alarm = deadline.map { deadline in
            let delay = max(.zero, deadline - (SuspendingClock.now - epoch))
            return (
                deadline, EventLoopActor.schedule(after: delay) { [weak self] in self?.ring() }
            )
        }
    }

    private func ring() {
        alarm = nil
        take(.tick)
    }
}

extension MethodCall {
    /// Answers RequestPermission.
    fileprivate func reply(_ permission: Permission, _ resources: [Resource]) {
        let statuses = resources.map { (BusText($0.rawValue), permission[$0].rawValue) }
        reply(DictationReply.requestPermission(status: Dictionary(uniqueKeysWithValues: statuses)).body)
    }
}
