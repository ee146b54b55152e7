/// What the administrator and the user may set of the machine's behaviour.
public struct Settings: Hashable, Sendable {
    public var callRules = CallRules()
    /// The reasons that interrupt at all. Permission, engine, server, source, sleep and preemption always do.
    public var interruptingReasons: Set<Reason> = Set(Reason.allCases).subtracting([.sourceMuted])
    /// How old an interruption may become while this reason holds and still resume by itself; a reason that is
    /// not listed has no limit, zero never resumes by itself.
    public var resumeLimits: [Reason: Duration] = [:]
    /// The microphone that the user configured; a call and SelectRoute come before it.
    public var route: NodeName?
    /// A Bluetooth microphone is taken before the default one.
    public var prefersBluetooth = false
    /// A lingering session that nobody used and that heard no speech for so long commits and pauses itself.
    public var idlePause: Duration = .seconds(10 * 60)
    /// ...and ends after so long.
    public var idleStop: Duration = .seconds(60 * 60)
    /// Sessions of one user at the same time.
    public var sessionLimit = 32
    /// Partials of a session are at least so far apart; what comes sooner is merged.
    public var partialInterval: Duration = .milliseconds(50)
    /// An opened stream from which nothing came for so long has failed. More than the adapter takes to find out
    /// that the server does not answer, which is then the reason.
    public var openTimeout: Duration = .seconds(15)
    /// A recogniser that owes a commit, or to be ready, and gives no sign of life for so long is stuck, and is
    /// replaced.
    public var commitTimeout: Duration = .seconds(60)
    /// How long commits in progress may take when the service is asked to end.
    public var shutdownGrace: Duration = .seconds(2)

    public init() {}

    /// Waiting time before the next attempt at a microphone or an engine: 50 ms doubled at each failure, at most
    /// 5 s.
    static func backoff(afterFailures failures: Int) -> Duration {
        .milliseconds(min(50 << min(failures, 8), 5000))
    }
}
