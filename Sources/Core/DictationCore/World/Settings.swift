/// Settings of ``DictationMachine`` from the administrator's and the user's configuration.
public struct Settings: Hashable, Sendable {
    public var callRules = CallRules()
    /// The optional reasons that interrupt. Permission, engine, server, source, sleep and preemption always do.
    public var interruptingReasons: Set<Reason> = Set(Reason.allCases).subtracting([.sourceMuted])
    /// How long an interruption may last while this reason holds and still resume by itself. Not listed: no limit. Zero:
    /// never.
    public var resumeLimits: [Reason: Duration] = [:]
    /// The configured microphone. The option of Start and SelectRoute take precedence.
    public var route: NodeName?
    /// Prefer a Bluetooth microphone to the default one.
    public var prefersBluetooth = false
    /// A lingering session without calls and speech commits and pauses itself after this time.
    public var idlePause: Duration = .seconds(10 * 60)
    /// A lingering session without calls and speech ends after this time.
    public var idleStop: Duration = .seconds(60 * 60)
    /// Concurrent sessions of one user.
    public var sessionLimit = 32
    /// The minimum time between Partials of a session. Earlier ones are merged.
    public var partialInterval: Duration = .milliseconds(50)
    /// A stream that delivers nothing for this time after opening has failed. Longer than the adapter's own timeout
    /// for the server, so that a hung server is reported as the reason.
    public var openTimeout: Duration = .seconds(15)
    /// A recogniser that is loading or finishing a commit and sends no event for this time is replaced.
    public var commitTimeout: Duration = .seconds(60)
    /// The time limit for commits in progress at shutdown.
    public var shutdownGrace: Duration = .seconds(2)

    public init() {}

    /// The delay before the next attempt to open a microphone or an engine: 50 ms, doubled after each failure, at most
    /// 5 s.
    static func backoff(afterFailures failures: Int) -> Duration {
        .milliseconds(min(50 << min(failures, 8), 5000))
    }
}
