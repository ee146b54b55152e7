import DictationBus
import DictationCore

/// A connection that has called, and its identity.
struct Caller: Hashable, Sendable {
    let client: Client
    /// See ``Identification/Unidentified/isConfined``.
    var isConfined = false
}

/// A caller, and when to identify it again.
struct KnownCaller {
    let caller: Caller
    /// Why it was not identified, if that may be over soon.
    private let failure: Identification.Failure?
    /// Failures in a row.
    private var failures: Int
    /// Not before this time.
    private var retry: SuspendingClock.Instant

    /// Delay after a failure, doubled by each failure in a row.
    static let firstDelay = Duration.seconds(1)
    static let longestDelay = Duration.seconds(60)

    /// - Parameter previous: the earlier result for the same connection.
    init(
        _ name: ClientName, _ found: Identification, after previous: KnownCaller?,
        at now: SuspendingClock.Instant
    ) {
        caller = Caller(
            client: Client(name: name, identity: found.identity),
            isConfined: found.unidentified?.isConfined ?? false)
        failure = found.failure
        switch failure {
        case .worker, .shortage:
            failures = min((previous?.failures ?? 0) + 1, 10)
            retry = now + min(Self.firstDelay * (1 << (failures - 1)), Self.longestDelay)
        case nil:
            failures = 0
            retry = now
        }
    }

    /// The user's worker has come, which may know it.
    mutating func workerStarted(at now: SuspendingClock.Instant) {
        guard failure == .worker else { return }
        failures = 0
        retry = now
    }

    /// Whether identifying it again may find more.
    func mayBeAskedAbout(at now: SuspendingClock.Instant) -> Bool { failure != nil && retry <= now }
}
