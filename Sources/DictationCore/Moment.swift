/// A point in time on two clocks, which differ by the time that the computer has slept.
public struct Moment: Hashable, Sendable {
    /// Stands still while the computer sleeps. Measures work and waiting: timeouts, retries, silence, idleness.
    public var awake: Duration
    /// Goes on while the computer sleeps. Measures what people mean by time: how old an interruption is.
    public var elapsed: Duration

    public init(awake: Duration, elapsed: Duration) {
        self.awake = awake
        self.elapsed = elapsed
    }
}
