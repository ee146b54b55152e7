import Glibc

/// Decides what a request to end means: the first commits, and only Ctrl-C some time later gives up waiting. A terminal that
/// is closed ends its input and sends signals at the same time.
struct StopRequests {
    enum Answer {
        /// Commit, and end when the last text is there.
        case finish
        /// End at once.
        case giveUp
        case ignore
    }

    /// How long after the first request Ctrl-C gives up.
    static let interval = Duration.milliseconds(300)

    private var first: ContinuousClock.Instant?

    /// - Parameter signal: nil for a key or the end of the input.
    mutating func receive(_ signal: Int32? = nil, at now: ContinuousClock.Instant) -> Answer {
        guard let first else {
            first = now
            return .finish
        }
        return signal == SIGINT && now - first >= Self.interval ? .giveUp : .ignore
    }
}
