public import EventLoop

/// A connection to one other process, without a bus between them.
///
/// The other end has no name on a bus: ``BusName/peer`` stands for it, as the destination of calls and as the sender of what
/// it sends on its own behalf. A process that stands between a bus and others passes the bus's messages on as they are
/// (``ReceivedMessage``). They keep their sender, so that the other end can tell the bus's clients apart, and their serial,
/// so that its replies find them.
@EventLoopActor
public final class PeerConnection: MessageChannel {
    /// What other ends may send.
    public struct Limits: Sendable {
        /// Of messages that were not released yet. libdbus stops reading above that.
        public var bytes: Int
        /// Of one message. libdbus closes the connection at the beginning of a larger one.
        public var messageBytes: Int
        /// Descriptors in one message. libdbus closes the connection at one with more.
        public var descriptors: Int
        /// Nil for any.
        public var rate: ReceivingRate?

        /// The specification's limit.
        public static let largestMessage = 128 << 20

        public init(
            bytes: Int, messageBytes: Int = largestMessage, descriptors: Int, rate: ReceivingRate? = nil
        ) {
            self.bytes = bytes
            self.messageBytes = messageBytes
            self.descriptors = descriptors
            self.rate = rate
        }
    }

    /// Gets replies and errors with a destination, and every signal, and does what it wants with them.
    public var receiveForOthers: (@EventLoopActor (ReceivedMessage) -> Void)?
    /// Called when the connection is closed on either side.
    public var ended: (@EventLoopActor () -> Void)?

    /// Called after a message that waits for the other end to read, with the approximate memory of all of these.
    public var queued: (@EventLoopActor (Int) -> Void)?

    private let isAccepted: Bool
    private var meter: ReceivingMeter?
    private var queue = OutgoingQueue()

    /// Connects to a ``PeerServer``.
    /// - Parameter path: of its socket.
    public init(toServerAt path: String) async throws {
        let transport = try await Transport.connected(to: .custom(try BusAddress.unix(path)))
        isAccepted = false
        // The other end has limited what its clients may send, and what is refused here would have no second chance.
        try super.init(
            transport,
            limits: .init(calls: .max, senderBytes: .max, bytes: .max, descriptors: .max))
    }

    /// A connection that a server has accepted.
    init(accepted transport: sending Transport, rate: ReceivingRate?) throws(DBusError) {
        meter = rate.map { ReceivingMeter($0) }
        isAccepted = true
        try super.init(transport, limits: .init(calls: 256, senderBytes: 512 << 10, bytes: 1 << 20))
    }

    /// Changes ``Limits/messageBytes``.
    public func limitMessages(to bytes: Int) { transport.limitMessages(to: bytes) }

    /// The user and the process at the other end, as the kernel knows them.
    public var process: (uid: UInt32, pid: UInt32)? { transport.process }

    /// Sends a call that was received on another connection, as it is, but for one flag: the other end replies even if the
    /// caller expects no reply, so that calls can be counted until they are answered.
    public func send(_ call: ReceivedMessage) throws(DBusError) {
        let message = call.reference.message.copy()
        message.expectReply()
        try send(message)
    }

    override func sender(of header: Message) -> BusName? { header.sender ?? .peer }

    override func isAnswer(_ header: Message, to call: PendingCall) -> Bool { header.destination == nil }

    override func resumption(at now: SuspendingClock.Instant) -> SuspendingClock.Instant? {
        meter?.resumption(at: now)
    }

    override func didReceive(bytes: @autoclosure () -> Int) {
        if meter != nil { meter?.count(bytes: bytes(), at: .now) }
    }

    /// No bus has removed from the header what nobody knows.
    override func bytes(of message: borrowing WireMessage) -> Int {
        message.encodedBytes ?? Limits.largestMessage
    }

    override var readsAhead: Bool { !isAccepted }

    override func didQueue(_ message: borrowing WireMessage) {
        guard let queued else { return }
        queue.add(bytes(of: message), waiting: outgoingBytes)
        queued(queue.memory)
    }

    override func passOn(_ header: Message, _ body: MessageReference) -> Bool {
        guard let receiveForOthers, header.interface != .local, header.kind != .methodCall,
            header.kind == .signal || header.destination != nil
        else { return false }
        receiveForOthers(ReceivedMessage(header: header, reference: body))
        return true
    }

    override func didEnd() { ended?() }
}

extension BusName {
    /// The other end of a ``PeerConnection``. No bus gives this name.
    public static let peer: BusName = ":peer.0"
}
