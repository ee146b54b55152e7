import DictationCore

/// A connection that has called, and what is known of who is behind it.
struct Caller: Hashable, Sendable {
    let client: Client
    /// See ``Identification/isConfined``.
    var isConfined = false
}

/// A caller, and when to ask again who it is.
struct KnownCaller {
    let caller: Caller
    /// Asking again may tell more.
    private let isProvisional: Bool
    /// How often in a row an agent that was asked did not answer.
    private let failures: Int
    /// Before this, nobody is asked again.
    private let retry: SuspendingClock.Instant

    /// How long an agent that did not answer is not asked again, doubled by each failure in a row.
    static let firstDelay = Duration.seconds(1)
    static let longestDelay = Duration.seconds(60)

    /// - Parameter previous: what was known of the same connection before.
    init(
        _ caller: Caller, _ found: Identification, after previous: KnownCaller?,
        at now: SuspendingClock.Instant
    ) {
        self.caller = caller
        isProvisional = found.isProvisional
        failures = found.hasFailed ? min((previous?.failures ?? 0) + 1, 10) : 0
        retry =
            found.hasFailed
            ? now + min(Self.firstDelay * (1 << (failures - 1)), Self.longestDelay) : now
    }

    func mayBeAskedAbout(at now: SuspendingClock.Instant) -> Bool { isProvisional && retry <= now }
}
