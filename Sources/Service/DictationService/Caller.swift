import DictationCore

/// A connection that has called, and its identity.
struct Caller: Hashable, Sendable {
    let client: Client
    /// See ``Identification/isConfined``.
    var isConfined = false
}

/// A caller, and when to identify it again.
struct KnownCaller {
    let caller: Caller
    /// Whether identifying it again may find more.
    private let isProvisional: Bool
    /// Failures of agents in a row.
    private let failures: Int
    /// Not before this time.
    private let retry: SuspendingClock.Instant

    /// Delay after an agent's failure, doubled by each failure in a row.
    static let firstDelay = Duration.seconds(1)
    static let longestDelay = Duration.seconds(60)

    /// - Parameter previous: the earlier result for the same connection.
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
