/// How much the other end of a ``PeerConnection`` may send. What comes faster is read later, and makes the other end wait.
public struct ReceivingRate: Sendable {
    /// A second.
    public var messages: Int
    /// A second.
    public var bytes: Int
    /// What may come at once, as the time in which it would come at that rate.
    public var burst: Duration

    public init(messages: Int, bytes: Int, burst: Duration) {
        self.messages = messages
        self.bytes = bytes
        self.burst = burst
    }
}

/// Counts what was received: a leaky bucket for messages, and one for bytes.
struct ReceivingMeter {
    private let rate: ReceivingRate
    private let messageInterval: Duration
    private let byteInterval: Duration
    /// When all that came would have come at the rate.
    private var messagesUntil: SuspendingClock.Instant?
    private var bytesUntil: SuspendingClock.Instant?

    init(_ rate: ReceivingRate) {
        self.rate = rate
        messageInterval = .seconds(1) / max(rate.messages, 1)
        byteInterval = .seconds(1) / max(rate.bytes, 1)
    }

    /// When the next message may be read; nil now.
    func resumption(at now: SuspendingClock.Instant) -> SuspendingClock.Instant? {
        guard let until = [messagesUntil, bytesUntil].compactMap(\.self).max(), until - now > rate.burst
        else { return nil }
        return until - rate.burst
    }

    mutating func count(bytes: Int, at now: SuspendingClock.Instant) {
        messagesUntil = max(messagesUntil ?? now, now) + messageInterval
        bytesUntil = max(bytesUntil ?? now, now) + byteInterval * bytes
    }
}
