/// Exponential backoff up to a limit, with jitter, so that clients that were disconnected together do not reconnect
/// together.
struct Backoff {
    private let range: ClosedRange<Duration>
    private var next: Duration

    init(_ range: ClosedRange<Duration>) {
        self.range = range
        next = range.lowerBound
    }

    /// The delay before the next attempt: between three and five quarters of the nominal one, within the range.
    mutating func nextDelay(using generator: inout some RandomNumberGenerator) -> Duration {
        let jittered = next * Double.random(in: 0.75...1.25, using: &generator)
        next = min(next * 2, range.upperBound)
        return min(max(jittered, range.lowerBound), range.upperBound)
    }

    mutating func reset() { next = range.lowerBound }
}
