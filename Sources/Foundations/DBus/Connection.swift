public import EventLoop

/// A connection to a bus, private to whoever made it.
///
/// It is closed by `close()`, by the bus, or when nobody refers to it any more.
@EventLoopActor
public final class Connection {
    private nonisolated let name: Lock<BusName>
    private let transport: Transport
    /// By the serial of the call.
    private var pending: [UInt32: Pending] = [:]
    private var isReadingLater = false
    private var flushWaiters: [CheckedContinuation<Void, Never>] = []
    private var disconnectionWaiters: [CheckedContinuation<Void, Never>] = []
    var subscriptions: [UInt64: SignalSubscription] = [:]
    var lastSubscription: UInt64 = 0
    var owners: [BusName: TrackedOwner] = [:]
    /// Well-known names that were called, whose owners are followed; the latest last.
    var calledNames: [BusName] = []
    var objects = ObjectTree()

    /// Until the bus is gone, or the connection closed.
    public private(set) var isConnected = true

    /// How many messages are taken before the loop may do other things.
    private static let messagesPerTurn = 32
    /// How long a bus may take to say hello.
    private static let helloTimeout: Duration = .seconds(10)

    /// A call that waits for its reply.
    private struct Pending {
        /// To whom the call went.
        let callee: BusName
        /// Who owned that name meanwhile, and no longer does.
        var formerOwners: [BusName] = []
        let deadline: EventLoop.Timer?
        /// Called with who replied; nil where nobody did.
        let settle: (Result<[Value], any Error>, BusName?) -> Void
    }

    /// The name that the bus gave this connection.
    public nonisolated var uniqueName: BusName { name.withLock { $0 } }

    /// Connects and introduces itself to the bus.
    public init(to address: BusAddress) async throws {
        name = Lock(.bus)
        transport = try await Transport.connected(to: address)
        try transport.start { [weak self] descriptor, events in self?.handle(events, of: descriptor) }
        let reply = try await call(
            destination: .bus, path: .bus, interface: .bus, member: "Hello", timeout: Self.helloTimeout)
        let text = try reply.decoded(as: String.self)
        guard let unique = BusName(text) else { throw DBusError.failed("the bus gave the name \"\(text)\"") }
        name.withLock { $0 = unique }
    }

    // MARK: Calls

    /// Calls a method and waits for its reply.
    ///
    /// A cancelled task no longer waits, and the reply is ignored; the method is called all the same.
    /// - Parameters:
    ///   - timeout: how long to wait; none waits as long as the bus lives.
    /// - Returns: what the method returned; nothing, at once, with `.noReplyExpected`.
    /// - Throws: the `DBusError` that the method answered; or `.noReply`, `.disconnected`, or that of an argument
    ///   that cannot be sent; or `CancellationError`.
    public func call(
        destination: BusName, path: ObjectPath, interface: InterfaceName?, member: MemberName,
        _ body: [Value] = [], timeout: Duration? = .seconds(25), flags: Message.Flags = []
    ) async throws -> [Value] {
        var message = Message(.methodCall)
        message.flags = flags
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        message.body = body
        try Task.checkCancellation()
        if !flags.contains(.noReplyExpected) { followOwner(ofCalled: destination) }
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

    /// Sends a message, and leaves the reply, if it has one, to `expectReply`.
    @discardableResult
    func send(_ message: Message) throws(DBusError) -> UInt32 {
        guard isConnected else { throw .disconnected("not connected to the bus") }
        let serial = try transport.send(.encoding(message))
        // A failed write is noticed here, or else by nobody: the socket is not watched any more.
        if !transport.isConnected { readLater() }
        return serial
    }

    /// Has `settle` called with what the reply brings, in its turn among the messages that arrive.
    /// - Parameters:
    ///   - callee: whom the call was made to. A reply of anybody else but the bus is ignored: serials can be guessed.
    ///   - settle: called with who replied; nil where nobody did.
    func expectReply(
        to serial: UInt32, from callee: BusName, within timeout: Duration?,
        _ settle: @escaping (Result<[Value], any Error>, BusName?) -> Void
    ) {
        let deadline = timeout.map { timeout in
            EventLoopActor.schedule(after: timeout) { [weak self] in
                self?.settle(serial, .failure(DBusError.noReply("no reply within \(timeout)")))
            }
        }
        pending[serial] = Pending(callee: callee, deadline: deadline, settle: settle)
    }

    func hasPendingCalls(to callee: BusName) -> Bool {
        pending.values.contains { $0.callee == callee }
    }

    /// A name has another owner: the former one may still answer the calls that it was sent.
    func noteFormerOwner(_ former: BusName, of name: BusName) {
        for (serial, call) in pending where call.callee == name {
            pending[serial]?.formerOwners.append(former)
        }
    }

    /// The serial of the call that this message answers; nil if it answers none.
    private func answered(by message: Message) -> UInt32? {
        guard let serial = message.replySerial, let call = pending[serial], let sender = message.sender,
            sender == .bus || sender == call.callee || sender == owners[call.callee]?.unique
                || call.formerOwners.contains(sender)
        else { return nil }
        return serial
    }

    private func settle(_ serial: UInt32, _ result: Result<[Value], any Error>, by replier: BusName? = nil) {
        guard let call = pending.removeValue(forKey: serial) else { return }
        call.deadline?.cancel()
        call.settle(result, replier)
    }

    // MARK: Signals

    /// Sends a signal: to one connection, or to all that want it.
    public func emit(
        path: ObjectPath, interface: InterfaceName, member: MemberName, _ body: [Value] = [],
        to destination: BusName? = nil
    ) throws(DBusError) {
        var message = Message(.signal)
        message.flags = .noReplyExpected
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        message.body = body
        try send(message)
    }

    // MARK: Reading

    private func handle(_ events: EventLoop.Interest, of descriptor: Int32) {
        transport.handle(events, of: descriptor)
        read()
        resumeFlushWaiters()
    }

    /// Takes what was read; if there is more than the turn allows, the rest in another.
    private func read() {
        for _ in 0..<Self.messagesPerTurn {
            guard let message = transport.next() else { return }
            receive(message)
        }
        readLater()
    }

    private func readLater() {
        guard !isReadingLater else { return }
        isReadingLater = true
        EventLoopActor.execute { [weak self] in
            self?.isReadingLater = false
            self?.read()
        }
    }

    private func receive(_ message: borrowing WireMessage) {
        guard let header = message.header else { return }
        switch header.kind {
        case .methodCall:
            dispatch(header, message)
        case .methodReturn:
            guard let serial = answered(by: header) else { return }
            let result = Result { try message.body(within: .answer, of: "a reply") }
            settle(serial, result, by: header.sender)
        case .error:
            guard let serial = answered(by: header) else { return }
            let error = DBusError(header, body: try? message.body(within: .answer, of: "an error"))
            settle(serial, .failure(error), by: header.sender)
        case .signal:
            if header.interface == .local, !transport.isConnected { return end() }
            distribute(header, message)
        }
    }

    // MARK: The end

    /// Returns when the connection is closed, or the bus gone.
    public func disconnected() async {
        guard isConnected else { return }
        await withCheckedContinuation { disconnectionWaiters.append($0) }
    }

    /// Returns when all that was queued has been given to the bus, or the bus is gone.
    public func flush() async {
        guard isConnected, transport.hasMessagesToSend else { return }
        await withCheckedContinuation { flushWaiters.append($0) }
    }

    /// How much is queued because the bus does not take it yet, in bytes.
    public var outgoingBytes: Int { transport.outgoingBytes }

    /// Sends what is queued and disconnects.
    /// - Parameter timeout: how long the bus may take to read what is queued.
    public func close(within timeout: Duration = .seconds(5)) async {
        let deadline = EventLoopActor.schedule(after: timeout) { [self] in end() }
        await flush()
        deadline.cancel()
        end()
    }

    private func end() {
        guard isConnected else { return }
        isConnected = false
        transport.close()
        for serial in pending.keys {
            settle(serial, .failure(DBusError.disconnected("the connection to the bus is closed")))
        }
        for subscription in subscriptions.values { subscription.finish() }
        subscriptions = [:]
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
    /// What an error message says.
    fileprivate init(_ header: Message, body: [Value]?) {
        let text: String? =
            if case .string(let text)? = body?.first { text.string } else { nil }
        self.init(header.errorName ?? .failed, text ?? "")
    }
}
