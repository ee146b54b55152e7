/// A point in time on two clocks, which differ by the time that the computer has slept.
public struct Moment: Hashable, Sendable {
    /// Stops while the computer sleeps (CLOCK_MONOTONIC). For timeouts, retries, silence, idleness.
    public var awake: Duration
    /// Continues while the computer sleeps (CLOCK_BOOTTIME). For durations told to people: the age of an interruption.
    public var elapsed: Duration

    public init(awake: Duration, elapsed: Duration) {
        self.awake = awake
        self.elapsed = elapsed
    }
}
