import DictationBus

/// How often a user's worker has failed. One that fails again and again is not started at once.
struct WorkerFailures {
    private var times: [SuspendingClock.Instant] = []
    private var end: SuspendingClock.Instant?
    private var length = Self.firstPause

    /// So many within ``period`` begin a pause.
    static let limit = 5
    static let period = Duration.seconds(60)
    /// Doubled with each pause that follows within ``longestPause`` of the one before.
    static let firstPause = Duration.seconds(10)
    static let longestPause = Duration.seconds(300)

    mutating func add(at now: SuspendingClock.Instant) {
        times = times.filter { now - $0 < Self.period } + [now]
        guard times.count >= Self.limit else { return }
        times = []
        if let end, now - end < Self.longestPause {
            length = min(length * 2, Self.longestPause)
        } else {
            length = Self.firstPause
        }
        end = now + length
    }

    /// The rest of the pause; nil if there is none.
    func pause(at now: SuspendingClock.Instant) -> Duration? {
        guard let end, end > now else { return nil }
        return end - now
    }
}
