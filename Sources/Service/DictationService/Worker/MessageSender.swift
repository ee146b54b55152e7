import DBus
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// Sends replies and signals, in order. Signals to a connection that may not be reading wait in its ``SignalQueue``.
@EventLoopActor
final class MessageSender {
    private struct Recipient {
        let uid: UInt32
        var queue = SignalQueue<Notice>()

        /// Changed in place, because copying the queue costs as much as it holds.
        mutating func update(
            _ body: (inout SignalQueue<Notice>) -> [SignalQueue<Notice>.Effect]
        ) -> [SignalQueue<Notice>.Effect] {
            body(&queue)
        }
    }

    private let connection: Connection
    /// Whether the bus belongs to one user, so that signals about that user may be broadcast.
    private let isOfOneUser: Bool
    private let budgets: Budgets
    private let logger: Logger
    private var calls: [CallID: MethodCall] = [:]
    private var lastCall: UInt64 = 0
    private var recipients: [BusName: Recipient] = [:]
    private var readerStopped: @EventLoopActor (BusName, UInt32) -> Void = { _, _ in }

    init(
        connection: Connection, isOfOneUser: Bool, budgets: Budgets, logger: Logger
    ) {
        self.connection = connection
        self.isOfOneUser = isOfOneUser
        self.budgets = budgets
        self.logger = logger
    }

    /// - Parameter readerStopped: called later with a connection that does not read while too much is queued for it,
    ///   and its user.
    func begin(_ readerStopped: @escaping @EventLoopActor (BusName, UInt32) -> Void) {
        self.readerStopped = readerStopped
    }

    /// The outgoing queue is long: delay signals that can be merged.
    var isCongested: Bool { connection.outgoingBytes > Self.congestion }

    /// In bytes; as much as thousands of partials.
    private static let congestion = 1 << 20

    // MARK: Replies

    /// Keeps a call until it is answered.
    func keep(_ call: MethodCall) -> CallID {
        lastCall += 1
        let id = CallID(rawValue: lastCall)
        calls[id] = call
        return id
    }

    func answer(_ id: CallID, with reply: Reply) {
        guard let call = calls.removeValue(forKey: id) else { return }
        updateQueue(of: call.sender) { $0.flush() }
        call.reply(DictationReply(reply).body)
    }

    func refuse(_ id: CallID, _ refusal: Refusal) {
        guard let call = calls.removeValue(forKey: id) else { return }
        updateQueue(of: call.sender) { $0.flush() }
        call.fail(DBusError(refusal))
    }

    /// Every call was answered.
    var isIdle: Bool { calls.isEmpty }

    /// Drops the calls and the queue of a connection that is gone.
    func forget(_ client: BusName) {
        calls = calls.filter { $0.value.sender != client }
        recipients[client] = nil
    }

    // MARK: Signals

    func send(_ signal: SessionSignal, of session: SessionID, to audience: Audience, of uid: UInt32) {
        switch audience {
        case .everyone:
            emit(.session(signal, session), to: nil)
        case .clients(let names):
            for name in names {
                if let name = BusName(name.rawValue) { queue(.session(signal, session), for: name, of: uid) }
            }
        }
    }

    /// Signals to connections of an application what it may do now.
    func tell(_ resource: Resource, _ status: PermissionStatus, to names: [BusName], of uid: UInt32) {
        for name in names { queue(.permission(resource, status), for: name, of: uid) }
    }

    /// Signals a change to those who show a user's permissions.
    func tell(_ change: DictationPermissionsSignal, to names: [BusName], of uid: UInt32) {
        for name in names { queue(.permissionRecord(change), for: name, of: uid) }
    }

    /// Signals changed properties: by broadcast if the bus belongs to one user, else to the subscribers.
    func tell(
        _ properties: WorldProperties, insteadOf previous: WorldProperties, to subscribers: [ClientName],
        of uid: UInt32
    ) {
        var changed: [BusText: Value] = [:]
        for property in DictationProperty.allCases
        where properties.value(of: property) != previous.value(of: property) {
            changed[BusText(property.rawValue)] = properties.value(of: property)
        }
        tell(changed, toSubscribers: [uid: subscribers])
    }

    /// Signals changed properties.
    func tell(_ changed: [BusText: Value], toSubscribers subscribers: [UInt32: [ClientName]]) {
        if isOfOneUser { return emit(.properties(changed), to: nil) }
        for (uid, names) in subscribers {
            for name in names.compactMap({ BusName($0.rawValue) }) {
                queue(.properties(changed), for: name, of: uid)
            }
        }
    }

    // MARK: Recipients

    /// A connection called a method.
    func noteCall(of name: BusName) {
        updateQueue(of: name) { $0.called() }
    }

    private func queue(_ notice: Notice, for name: BusName, of uid: UInt32) {
        if recipients[name] == nil { recipients[name] = Recipient(uid: uid) }
        updateQueue(of: name) { $0.send(notice) }
    }

    private func updateQueue(
        of name: BusName, _ update: (inout SignalQueue<Notice>) -> [SignalQueue<Notice>.Effect]
    ) {
        guard let uid = recipients[name]?.uid, let effects = recipients[name]?.update(update) else { return }
        for effect in effects {
            switch effect {
            case .send(let notice): emit(notice, to: name)
            case .ping: ping(name, of: uid)
            case .overflow:
                logger.notice("a client does not read its signals", metadata: ["client": "\(name)"])
                EventLoopActor.execute { [readerStopped] in readerStopped(name, uid) }
            }
        }
    }

    private func ping(_ name: BusName, of uid: UInt32) {
        guard let lease = budgets.lease(.pings, of: .user(uid)) else {
            return updateQueue(of: name) { $0.pingFailed() }
        }
        connection.ping(name) { [weak self] hasAnswered in
            lease.end()
            self?.updateQueue(of: name) { hasAnswered ? $0.answered() : $0.pingFailed() }
        }
    }

    // MARK: Sending

    /// Sending fails if the value is invalid or the bus is closing. It is logged, and the rest goes on.
    private func emit(_ notice: Notice, to destination: BusName?) {
        do {
            try connection.emit(notice, to: destination)
        } catch {
            logger.error("a signal could not be sent", metadata: ["why": "\(error)"])
        }
    }
}

extension Connection {
    fileprivate func emit(_ notice: Notice, to destination: BusName?) throws(DBusError) {
        switch notice {
        case .session(let signal, let session):
            try emit(DictationSignal(signal, of: session), to: destination)
        case .permission(let resource, let status):
            let signal = DictationSignal.permissionChanged(
                resource: resource.rawValue, status: status.rawValue, details: [:])
            try emit(signal, to: destination)
        case .permissionRecord(let signal):
            try emit(
                path: DictationInterface.path, interface: DictationPermissionsInterface.name,
                member: signal.member, signal.body, to: destination)
        case .properties(let changed):
            try propertiesChanged(
                path: DictationInterface.path, interface: DictationInterface.name, changed: changed,
                to: destination)
        }
    }

    private func emit(_ signal: DictationSignal, to destination: BusName?) throws(DBusError) {
        try emit(
            path: DictationInterface.path, interface: DictationInterface.name, member: signal.member,
            signal.body, to: destination)
    }
}
