import DBus
import DictationBus
import DictationCore
import DictationInterface
import EventLoop
import Logging

/// Sends replies and signals, in order.
@EventLoopActor
final class MessageSender {
    private let channel: MessageChannel
    /// Whether the bus belongs to one user, so that signals about that user may be broadcast.
    private let isOfOneUser: Bool
    private let logger: Logger
    private let queues: SignalQueues<Notice>
    private var calls: [CallID: MethodCall] = [:]
    /// Calls of the worker itself.
    private var ownCalls: [CallID: @EventLoopActor (Result<Reply, Refusal>) -> Void] = [:]
    private var lastCall: UInt64 = 0

    /// - Parameter ping: see ``SignalQueues/ping``.
    init(
        _ channel: MessageChannel, isOfOneUser: Bool, logger: Logger,
        ping: @escaping @EventLoopActor (BusName, @escaping @EventLoopActor (Bool) -> Void) -> Void
    ) {
        self.channel = channel
        self.isOfOneUser = isOfOneUser
        self.logger = logger
        queues = SignalQueues(ping: ping) { notice, name in channel.emit(notice, to: name, logger) }
    }

    /// - Parameter readerStopped: called later with a connection that does not read while too much is queued for it.
    func begin(_ readerStopped: @escaping @EventLoopActor (BusName) -> Void) {
        queues.begin(readerStopped)
    }

    /// The outgoing queue is long: delay signals that can be merged.
    var isCongested: Bool { channel.outgoingBytes > Self.congestion }

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

    /// A call of the worker itself.
    func keep(_ answered: @escaping @EventLoopActor (Result<Reply, Refusal>) -> Void) -> CallID {
        lastCall += 1
        let id = CallID(rawValue: lastCall)
        ownCalls[id] = answered
        return id
    }

    func answer(_ id: CallID, with reply: Reply) {
        if let answered = ownCalls.removeValue(forKey: id) { return answered(.success(reply)) }
        guard let call = calls.removeValue(forKey: id) else { return }
        queues.flush(call.sender)
        call.reply(DictationReply(reply).body)
    }

    func refuse(_ id: CallID, _ refusal: Refusal) {
        if let answered = ownCalls.removeValue(forKey: id) { return answered(.failure(refusal)) }
        guard let call = calls.removeValue(forKey: id) else { return }
        queues.flush(call.sender)
        call.fail(DBusError(refusal))
    }

    /// Every call was answered.
    var isIdle: Bool { calls.isEmpty && ownCalls.isEmpty }

    /// Drops the calls and the queue of a connection that is gone.
    func forget(_ client: BusName) {
        calls = calls.filter { $0.value.sender != client }
        queues.forget(client)
    }

    /// A connection called a method.
    func recordCall(of name: BusName) { queues.recordCall(of: name) }

    // MARK: Signals

    func send(_ signal: SessionSignal, of session: SessionID, to audience: Audience) {
        switch audience {
        case .everyone:
            channel.emit(.session(signal, session), to: nil, logger)
        case .clients(let names):
            for name in names {
                if let name = BusName(name.rawValue) { queues.send(.session(signal, session), to: name) }
            }
        }
    }

    func send(_ signal: DictationTypingSignal, to name: BusName) { queues.send(.typing(signal), to: name) }

    /// Signals that the history has changed.
    func sendHistoryChange(to listeners: Set<BusName>) {
        for name in listeners { queues.send(.history, to: name) }
    }

    /// Signals changed properties: by broadcast if the bus belongs to one user, else to the subscribers.
    func send(
        _ properties: ServiceProperties, insteadOf previous: ServiceProperties, to subscribers: [ClientName]
    ) {
        var changed: [BusText: Value] = [:]
        for property in DictationProperty.allCases
        where properties.value(of: property) != previous.value(of: property) {
            changed[BusText(property.rawValue)] = properties.value(of: property)
        }
        send(changed, to: subscribers)
    }

    /// Signals changed properties.
    func send(_ changed: [BusText: Value], to subscribers: [ClientName]) {
        if isOfOneUser { return channel.emit(.properties(changed), to: nil, logger) }
        for name in subscribers.compactMap({ BusName($0.rawValue) }) {
            queues.send(.properties(changed), to: name)
        }
    }
}

extension MessageChannel {
    /// Sending fails if the value is invalid or the connection is closing. It is logged, and the rest goes on.
    fileprivate func emit(_ notice: Notice, to destination: BusName?, _ logger: Logger) {
        do throws(DBusError) {
            switch notice {
            case .session(let signal, let session):
                let signal = DictationSignal(signal, of: session)
                try emit(
                    path: DictationInterface.path, interface: DictationInterface.name, member: signal.member,
                    signal.body, to: destination)
            case .typing(let signal):
                try emit(
                    path: DictationInterface.path, interface: DictationTypingInterface.name,
                    member: signal.member, signal.body, to: destination)
            case .history:
                let signal = DictationHistorySignal.changed
                try emit(
                    path: DictationInterface.path, interface: DictationHistoryInterface.name,
                    member: signal.member, signal.body, to: destination)
            case .properties(let changed):
                try propertiesChanged(
                    path: DictationInterface.path, interface: DictationInterface.name, changed: changed,
                    to: destination)
            }
        } catch {
            logger.error("a signal could not be sent", metadata: ["why": "\(error)"])
        }
    }
}
