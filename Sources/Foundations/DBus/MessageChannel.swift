public import EventLoop

/// A connection over which messages of D-Bus are exchanged: calls, replies and exported objects. ``Connection`` is one to a
/// bus, ``PeerConnection`` one to a single process.
///
/// `close()`, the other end, or the release of the last reference closes it.
@EventLoopActor
public class MessageChannel {
    let transport: Transport
    /// By the serial of the call.
    var pending: [UInt32: PendingCall] = [:]
    /// Calls that were read and wait for their turn, and what their senders sent after them.
    private var waiting: CallQueue<BusName, WaitingMessage>
    let receivedDescriptors: ReceivedDescriptors
    /// Continues with waiting calls whose senders are held back.
    private var resumption: EventLoop.Timer?
    private var isReadingLater = false
    /// Ends a pause in reading.
    private var readingPause: EventLoop.Timer?
    /// Messages were read that `receive` has not got yet.
    private var hasUnreceived = false
    private var flushWaiters: [CheckedContinuation<Void, Never>] = []
    private var disconnectionWaiters: [CheckedContinuation<Void, Never>] = []
    var objects = ObjectTree()

    /// Until the connection is closed on either side.
    public private(set) var isConnected = true

    /// Messages that are received in one turn of the loop.
    private static let messagesPerTurn = 1024
    /// How long calls are handled in one turn of the loop, and before that the messages that do not wait.
    private static let slice = Duration.milliseconds(1)
    private static let nanosecondsPerByte = 10
    /// Larger calls are checked when they come.
    private static let smallCall = 64 << 10
    /// More bytes than any method takes.
    private static let largestCall = 4 << 20
    /// Larger messages count as larger, whatever their size.
    private static let largestMessage = 64 << 20

    /// A call that waits for its reply.
    struct PendingCall {
        /// The destination of the call.
        let callee: BusName
        /// Former owners of that name since the call.
        var formerOwners: [BusName] = []
        let deadline: EventLoop.Timer?
        /// Called with the sender of the reply; nil if there was none.
        let settle: (Result<[Value], any Error>, BusName?) -> Void
    }

    /// Starts reading and writing.
    init(_ transport: sending Transport, limits: CallQueue<BusName, WaitingMessage>.Limits) throws(DBusError)
    {
        self.transport = transport
        waiting = CallQueue(limits)
        receivedDescriptors = transport.gate?.received ?? ReceivedDescriptors()
        try transport.start { [weak self] descriptor, events in self?.handle(events, of: descriptor) }
    }

    // MARK: What differs between a bus and a peer

    /// Who has sent a message; nil if it is ignored.
    func sender(of header: Message) -> BusName? { header.sender }

    /// Whether a message is the reply to a call of this process.
    func isAnswer(_ header: Message, to call: PendingCall) -> Bool { true }

    /// A call is about to be sent.
    func willCall(_ destination: BusName) {}

    /// When the next message may be read; nil now.
    func resumption(at now: SuspendingClock.Instant) -> SuspendingClock.Instant? { nil }

    /// A message was read.
    func didReceive(bytes: @autoclosure () -> Int) {}

    /// The size of a message that was received.
    func bytes(of message: borrowing WireMessage) -> Int { message.bytes(atMost: Self.largestMessage) }

    /// Whether the socket is read while messages wait that were read before. Calls take turns only when they have been read.
    var readsAhead: Bool { true }

    /// A message was sent, and waits for the other end to read.
    func didQueue(_ message: borrowing WireMessage) {}

    /// Handles a message that is for others, and returns true.
    func passOn(_ header: Message, _ body: MessageReference) -> Bool { false }

    /// The connection that leaves the bus, if the bus says that.
    func vanished(_ header: Message, _ body: MessageReference) -> BusName? { nil }

    /// Handles a signal.
    func receiveSignal(_ header: Message, _ body: MessageReference) {}

    /// The connection is closed on either side.
    func didEnd() {}

    // MARK: Calls

    /// Calls a method and waits for its reply.
    ///
    /// If the task is cancelled, the call is still made and its reply is ignored.
    /// - Parameters:
    ///   - timeout: how long to wait for the reply; nil waits until the connection ends.
    /// - Returns: the method's return values. With `.noReplyExpected` empty, at once.
    /// - Throws: the `DBusError` that the method returned; `.noReply`, `.disconnected`, or the error of an invalid
    ///   argument; or `CancellationError`.
    public func call(
        destination: BusName, path: ObjectPath, interface: InterfaceName?, member: MemberName,
        _ body: [Value] = [], timeout: Duration? = .seconds(25), flags: Message.Flags = []
    ) async throws -> [Value] {
        let message = Message(callTo: destination, path, interface, member, body, flags)
        try Task.checkCancellation()
        if !flags.contains(.noReplyExpected) { willCall(destination) }
        let serial = try send(message)
        if flags.contains(.noReplyExpected) { return [] }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                expectReply(to: serial, from: destination, within: timeout) { result, _ in
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            EventLoopActor.execute { self.settle(serial, .failure(CancellationError())) }
        }
    }

    /// Calls a method that is not answered.
    /// - Parameter client: on whose behalf it calls a peer; nil for this process itself.
    public func callWithoutReply(
        destination: BusName, path: ObjectPath, interface: InterfaceName, member: MemberName,
        _ body: [Value] = [], for client: BusName? = nil
    ) throws(DBusError) {
        var message = Message(callTo: destination, path, interface, member, body, .noReplyExpected)
        message.sender = client
        try send(message)
    }

    /// Sends a message. `expectReply` handles the reply.
    @discardableResult
    func send(_ message: Message) throws(DBusError) -> UInt32 {
        try send(WireMessage.encoding(message))
    }

    @discardableResult
    func send(_ message: consuming WireMessage) throws(DBusError) -> UInt32 {
        guard isConnected else { throw .disconnected("the connection is closed") }
        let serial = try transport.send(message)
        if transport.hasMessagesToSend { didQueue(message) }
        // A write error is noticed only here, because the socket is no longer watched.
        if !transport.isConnected { readLater() }
        return serial
    }

    /// Calls `settle` with the result of the reply, in order with the other messages.
    /// - Parameters:
    ///   - callee: the call's destination. Replies of other senders, except the bus, are ignored: serials can be
    ///     guessed.
    ///   - settle: called with the sender of the reply; nil if there was none.
    func expectReply(
        to serial: UInt32, from callee: BusName, within timeout: Duration?,
        _ settle: @escaping (Result<[Value], any Error>, BusName?) -> Void
    ) {
        let deadline = timeout.map { timeout in
            EventLoopActor.schedule(after: timeout) { [weak self] in
                self?.settle(serial, .failure(DBusError.noReply("no reply within \(timeout)")))
            }
        }
        pending[serial] = PendingCall(callee: callee, deadline: deadline, settle: settle)
    }

    func hasPendingCalls(to callee: BusName) -> Bool {
        pending.values.contains { $0.callee == callee }
    }

    /// The serial of the call that this message replies to; nil if it is no reply.
    private func answered(by message: Message) -> UInt32? {
        guard let serial = message.replySerial, let call = pending[serial], isAnswer(message, to: call)
        else { return nil }
        return serial
    }

    private func settle(_ serial: UInt32, _ result: Result<[Value], any Error>, by replier: BusName? = nil) {
        guard let call = pending.removeValue(forKey: serial) else { return }
        call.deadline?.cancel()
        call.settle(result, replier)
    }

    // MARK: Reading

    private func handle(_ events: EventLoop.Interest, of descriptor: Int32) {
        transport.handle(events, of: descriptor, readsAll: readsAhead && !hasUnreceived)
        read()
        resumeFlushWaiters()
    }

    /// Receives messages that were read and handles calls, for at most one turn; the rest in another turn.
    private func read() {
        hasUnreceived = receiveMessages()
        handleCalls()
        if hasUnreceived { readLater() }
    }

    /// Returns whether there are more.
    private func receiveMessages() -> Bool {
        let begin = SuspendingClock.now
        for _ in 0..<Self.messagesPerTurn {
            if let time = resumption(at: .now) {
                transport.pausesReading = true
                readAgain(at: time)
                return false
            }
            guard let message = transport.next() else {
                transport.pausesReading = false
                return false
            }
            didReceive(bytes: bytes(of: message))
            if receive(message), SuspendingClock.now - begin >= Self.slice { break }
        }
        transport.pausesReading = !readsAhead
        return true
    }

    /// What is not read meanwhile stays in the socket, and makes the other end wait.
    private func readAgain(at time: SuspendingClock.Instant) {
        readingPause?.cancel()
        readingPause = EventLoopActor.schedule(after: time - .now) { [weak self] in self?.read() }
    }

    private func readLater() {
        guard !isReadingLater else { return }
        isReadingLater = true
        EventLoopActor.execute { [weak self] in
            self?.isReadingLater = false
            self?.read()
        }
    }

    /// Handles a message at once and returns true, unless it is a call or waits behind calls of its sender.
    private func receive(_ message: consuming WireMessage) -> Bool {
        guard let header = message.header else { return false }
        let body = MessageReference(message)
        if passOn(header, body) { return true }
        switch header.kind {
        case .methodCall:
            receiveCall(header, body)
            return false
        case .methodReturn, .error:
            if answered(by: header) == nil { return false }
        case .signal:
            if header.interface == .local, !transport.isConnected {
                endAfterWaitingMessages()
                return false
            }
        }
        if waits(header, body) { return false }
        handle(header, body)
        return true
    }

    /// A call with too many descriptors or bytes is refused in its turn, because a refusal costs time too.
    private func receiveCall(_ header: Message, _ body: MessageReference) {
        guard let sender = sender(of: header) else { return }
        let size = size(of: body, from: sender)
        let excess = size.bytes > Self.smallCall ? refusal(ofLarge: header, body) : nil
        // What reading and checking it has taken, roughly.
        defer {
            waiting.charge(
                sender, .nanoseconds(size.bytes * Self.nanosecondsPerByte), at: .now,
                isExcessive: excess != nil)
        }
        let refusal: DBusError
        if let excess {
            refusal = excess
        } else if size.descriptors == 0
            || (body.kept?.isReplaced != true && receivedDescriptors.isWithinLimit(sender))
        {
            let call = WaitingMessage(header: header, content: .body(body))
            if waiting.append(call, of: sender, size, at: .now) { return }
            refusal = Self.tooManyCalls
        } else {
            refusal = self.refusal(ofDescriptorsIn: header, body)
        }
        let call = WaitingMessage(header: header, content: .refused(refusal))
        let isAccepted = waiting.append(call, of: sender, .init(isExcessive: excess != nil), at: .now)
        if !isAccepted { refuse(header, refusal) }
    }

    private static let tooManyCalls = DBusError.limitsExceeded(
        "too many calls of this connection wait: wait for replies first")

    /// Counts the descriptors until they are closed.
    private func size(of body: MessageReference, from sender: BusName)
        -> CallQueue<BusName, WaitingMessage>.Size
    {
        let bytes = bytes(of: body.message)
        guard body.message.hasDescriptors else { return .init(bytes: bytes) }
        let descriptors =
            bytes > Self.largestCall
            ? Transport.mostDescriptors : body.message.attachedDescriptors ?? Transport.mostDescriptors
        // A gate has counted them.
        if transport.gate == nil { body.kept?.count(receivedDescriptors.add(descriptors, of: sender)) }
        return .init(bytes: bytes, descriptors: descriptors)
    }

    /// Replies, errors and signals of one sender stay in order with its calls. Signals of a sender with too many calls are
    /// dropped, and its replies are handled at once. What the bus itself sends does not wait, except for the end of a
    /// connection whose calls wait.
    private func waits(_ header: Message, _ body: MessageReference) -> Bool {
        guard !waiting.isEmpty, let sender = sender(of: header) else { return false }
        let message = WaitingMessage(header: header, content: .body(body))
        if sender == .bus {
            guard let name = vanished(header, body), waiting.hasCalls(of: name) else { return false }
            waiting.end(message, name, at: .now)
            return true
        }
        guard waiting.hasCalls(of: sender) else { return false }
        let size = CallQueue<BusName, WaitingMessage>.Size(
            bytes: bytes(of: body.message))
        return waiting.follow(message, sender, size, at: .now) || header.kind == .signal
    }

    private func handleCalls() {
        guard !waiting.isEmpty else { return }
        let begin = SuspendingClock.now
        var now = begin
        while now - begin < Self.slice, let (sender, message) = waiting.next(at: now) {
            let used = ThreadTime.now
            handle(message)
            now = .now
            waiting.charge(sender, ThreadTime.now - used, at: now)
        }
        continueLater(now, mayContinueNow: now - begin >= Self.slice)
    }

    private func continueLater(_ now: SuspendingClock.Instant, mayContinueNow: Bool) {
        resumption?.cancel()
        resumption = nil
        if waiting.isEmpty { return }
        if mayContinueNow { return readLater() }
        guard let time = waiting.resumption(after: now) else { return }
        resumption = EventLoopActor.schedule(after: time - now) { [weak self] in self?.read() }
    }

    /// Whether calls were read that no handler has got yet.
    public var hasWaitingCalls: Bool { !waiting.isEmpty }

    private func handle(_ message: WaitingMessage) {
        switch message.content {
        case .body(let body): handle(message.header, body)
        case .refused(let error): refuse(message.header, error)
        }
    }

    private func handle(_ header: Message, _ body: MessageReference) {
        switch header.kind {
        case .methodCall:
            dispatch(header, body)
        case .methodReturn:
            guard let serial = answered(by: header) else { return }
            let result = Result { try body.message.body(within: .answer, of: "a reply") }
            settle(serial, result, by: sender(of: header))
        case .error:
            guard let serial = answered(by: header) else { return }
            let error = DBusError(
                header, body: try? body.message.body(within: .answer, of: "an error"))
            settle(serial, .failure(error), by: sender(of: header))
        case .signal:
            receiveSignal(header, body)
        }
    }

    // MARK: The end

    /// Returns when the connection is closed.
    public func disconnected() async {
        guard isConnected else { return }
        await withCheckedContinuation { disconnectionWaiters.append($0) }
    }

    /// Returns when everything queued was given to the other end, or the connection is closed.
    public func flush() async {
        guard isConnected, transport.hasMessagesToSend else { return }
        await withCheckedContinuation { flushWaiters.append($0) }
    }

    /// Bytes in the outgoing queue.
    public var outgoingBytes: Int { transport.outgoingBytes }

    /// Sends what is queued and disconnects.
    /// - Parameter timeout: how long the other end may take to read the queue.
    public func close(within timeout: Duration = .seconds(5)) async {
        let deadline = EventLoopActor.schedule(after: timeout) { [self] in
            end()
            transport.gate?.abandon()
        }
        await flush()
        end()
        await transport.gate?.ended()
        deadline.cancel()
    }

    /// The other end has closed the connection. Nobody is left to reply to; replies that wait behind calls still count.
    private func endAfterWaitingMessages() {
        for message in waiting.removeAll() where message.header.kind != .methodCall { handle(message) }
        end()
    }

    private func end() {
        guard isConnected else { return }
        isConnected = false
        _ = waiting.removeAll()
        resumption?.cancel()
        readingPause?.cancel()
        transport.close()
        for serial in pending.keys {
            settle(serial, .failure(DBusError.disconnected("the connection is closed")))
        }
        didEnd()
        objects = ObjectTree()
        resumeFlushWaiters()
        for continuation in disconnectionWaiters { continuation.resume() }
        disconnectionWaiters = []
    }

    private func resumeFlushWaiters() {
        guard !flushWaiters.isEmpty, !isConnected || !transport.hasMessagesToSend else { return }
        for continuation in flushWaiters { continuation.resume() }
        flushWaiters = []
    }
}

extension DBusError {
    /// The text of an error message.
    fileprivate init(_ header: Message, body: [Value]?) {
        let text: String? =
            if case .string(let text)? = body?.first { text.string } else { nil }
        self.init(header.errorName ?? .failed, text ?? "")
    }
}

// In this file because it needs a public import of EventLoop: alone, debug builds call that import unused, and release
// builds fail without it (Swift 6.3).
/// The implementation of an exported object.
///
/// Called on the event loop. The calls of each sender come in their order, and senders take turns (``CallQueue``). Calls
/// were checked against the description of the interface before.
public protocol ObjectHandler: Sendable {
    /// Carries out a method. The handler replies through the call, once, at once or later.
    @EventLoopActor func handle(_ call: MethodCall)

    /// Calls `proceed`, on the loop, if the caller of `org.freedesktop.DBus.Properties` may read and set properties; by
    /// default at once. If it is never called, the caller gets an error.
    @EventLoopActor func prepareProperties(
        for call: MethodCall, _ proceed: @escaping @EventLoopActor (Result<Void, DBusError>) -> Void)

    /// The value of a readable property.
    @EventLoopActor func value(of property: PropertyAccess) throws(DBusError) -> Value

    /// Sets a writable property to a value of its type.
    @EventLoopActor func set(_ property: PropertyAccess, to value: Value) throws(DBusError)
}

extension ObjectHandler {
    @EventLoopActor public func prepareProperties(
        for call: MethodCall, _ proceed: @escaping @EventLoopActor (Result<Void, DBusError>) -> Void
    ) {
        proceed(.success(()))
    }

    public func value(of property: PropertyAccess) throws(DBusError) -> Value {
        throw DBusError(.unknownProperty, "\(property.name) has no value")
    }

    public func set(_ property: PropertyAccess, to value: Value) throws(DBusError) {
        throw DBusError(.propertyReadOnly, "\(property.name) cannot be set")
    }
}
