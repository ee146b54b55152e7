/// A signal that may wait in a ``SignalQueue``.
public protocol QueuedSignal: Mergeable {
    /// Approximate size in memory, in bytes.
    var size: Int { get }
}

/// The signals to one connection. They are sent while the connection reads, and queued while it may not.
///
/// The bus daemon takes every signal and keeps it until the connection reads it, so the service's own socket never
/// fills. Two things show that a connection has read all that was sent to it: it replies to a
/// `org.freedesktop.DBus.Peer.Ping`, or it calls a method. The second is for programs that only make blocking calls:
/// they read their socket but do not reply.
///
/// There is no clock: nothing happens unless a signal is sent, a reply comes or the connection calls.
public struct SignalQueue<Signal: QueuedSignal>: Sendable {
    public enum Effect: Sendable {
        case send(Signal)
        /// Send a Ping after the signals, and call ``answered()`` or ``pingFailed()``. One is under way at a time.
        case ping
        /// The queue is full: the connection should get no more signals. Returned once until the queue is empty again.
        case overflow
    }

    /// How much is sent without a sign that it was read. The Ping is sent at half of it, so that a connection that
    /// reads is never kept waiting.
    public static var unreadLimit: SignalAmount { SignalAmount(count: 64, bytes: 256 << 10) }
    /// How much waits before ``Effect/overflow``. The smallest signal counts 256 bytes.
    public static var waitingLimit: SignalAmount { SignalAmount(count: 4096, bytes: 1 << 20) }
    /// How much more is kept after it; what exceeds that is dropped.
    public static var reserve: SignalAmount { SignalAmount(count: 64, bytes: 64 << 10) }

    /// Sent, and perhaps not read.
    private var unread = SignalAmount()
    /// The part of it that was sent before the Ping that is under way; nil while none is.
    private var unreadBeforePing: SignalAmount?
    private var queue = MergingQueue<Signal>()
    public private(set) var waiting = SignalAmount()
    private var isOverflowing = false

    public init() {}

    public mutating func send(_ signal: Signal) -> [Effect] {
        guard waiting.count == 0, !unread.reaches(Self.unreadLimit) else { return enqueue(signal) }
        return count(signal) + askIfNeeded()
    }

    /// The connection replied to the Ping.
    public mutating func answered() -> [Effect] {
        guard let read = unreadBeforePing else { return [] }
        unread -= read
        unreadBeforePing = nil
        return sendWaiting()
    }

    /// The Ping failed. Everything sent counts as read.
    public mutating func pingFailed() -> [Effect] {
        unreadBeforePing = nil
        unread = SignalAmount()
        return sendWaiting()
    }

    /// The connection called a method.
    public mutating func called() -> [Effect] {
        unread = SignalAmount()
        if unreadBeforePing != nil { unreadBeforePing = SignalAmount() }
        return sendWaiting()
    }

    /// Sends the whole queue, before a reply that must not overtake it.
    public mutating func flush() -> [Effect] {
        sendWaiting(isLimited: false)
    }

    private mutating func sendWaiting(isLimited: Bool = true) -> [Effect] {
        var effects: [Effect] = []
        while !isLimited || !unread.reaches(Self.unreadLimit), let signal = popFirst() {
            effects += count(signal)
        }
        if waiting.count == 0 { isOverflowing = false }
        return effects + askIfNeeded()
    }

    private mutating func count(_ signal: Signal) -> [Effect] {
        unread += SignalAmount(count: 1, bytes: signal.size)
        return [.send(signal)]
    }

    private mutating func askIfNeeded() -> [Effect] {
        guard unreadBeforePing == nil, unread.reaches(Self.unreadLimit.half) else { return [] }
        unreadBeforePing = unread
        return [.ping]
    }

    // MARK: Waiting

    private mutating func enqueue(_ signal: Signal) -> [Effect] {
        var signal = signal
        if let earlier = queue.removeReplaced(by: signal) {
            waiting -= SignalAmount(count: 1, bytes: earlier.size)
            signal = signal.merged(with: earlier)
        }
        let limit = Self.waitingLimit
        if isOverflowing, waiting.reaches(limit + Self.reserve) { return [] }
        queue.append(signal)
        waiting += SignalAmount(count: 1, bytes: signal.size)
        guard !isOverflowing, waiting.reaches(limit) else { return [] }
        isOverflowing = true
        return [.overflow]
    }

    private mutating func popFirst() -> Signal? {
        guard let signal = queue.popFirst() else { return nil }
        waiting -= SignalAmount(count: 1, bytes: signal.size)
        return signal
    }
}

/// A number of signals and their size in bytes.
public struct SignalAmount: Hashable, Sendable {
    public var count = 0
    public var bytes = 0

    public init(count: Int = 0, bytes: Int = 0) {
        self.count = count
        self.bytes = bytes
    }

    var half: SignalAmount { SignalAmount(count: count / 2, bytes: bytes / 2) }

    /// One of both is at least that of `limit`.
    func reaches(_ limit: SignalAmount) -> Bool { count >= limit.count || bytes >= limit.bytes }

    static func + (one: SignalAmount, other: SignalAmount) -> SignalAmount {
        SignalAmount(count: one.count + other.count, bytes: one.bytes + other.bytes)
    }

    static func += (one: inout SignalAmount, other: SignalAmount) { one = one + other }

    static func -= (one: inout SignalAmount, other: SignalAmount) {
        one = SignalAmount(count: one.count - other.count, bytes: one.bytes - other.bytes)
    }
}
