/// Whether an engine outside the process answers, and how fast. Shared by all sessions that use it.
public struct EngineHealth: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// No request was sent yet.
        case unknown
        case up
        /// Nothing is sent to it except `describe`.
        case down(message: String)
    }

    /// Failures in a row that mean that the engine is down.
    public static let failureLimit = 2
    private static let longestProbeDelay = Duration.seconds(30)
    /// For the first answer, while the engine may be loading its model.
    public static let loadTimeout = Duration.seconds(60)
    /// The same if another text is there.
    private static let loadTimeoutWithPreview = Duration.seconds(10)
    private static let shortestTimeout = Duration.seconds(2)
    private static let longestTimeout = Duration.seconds(15)
    /// Timeout in expected times.
    private static let timeout = 3.0
    private static let keptAnswers = 8
    /// Seconds of audio that the fixed cost of a request is worth.
    private static let fixedCost = 5.0

    public private(set) var state = State.unknown
    /// How often it went down.
    public private(set) var outages = 0
    /// The time of the last answer.
    public private(set) var lastAnswer: Duration?
    /// Whether the engine itself decides whether somebody spoke.
    public private(set) var detectsSpeech = false
    /// Whether it is down because it did not answer in time. Then ``described(detectsSpeech:)`` does not show that it is
    /// back: it must recognise something.
    public private(set) var mustRecognize = false
    private var failures = 0
    private var probes = 0
    /// Whether it has recognised nothing since it was last down or unknown.
    private var isLoading = true
    private var answers: [Answer] = []

    private struct Answer: Hashable, Sendable {
        /// Seconds.
        var audio: Double
        var took: Duration
    }

    public init() {}

    public var isDown: Bool {
        if case .down = state { true } else { false }
    }

    /// It recognised a passage.
    /// - Parameter audio: seconds.
    public mutating func answered(audio: Double, took: Duration) {
        state = .up
        failures = 0
        probes = 0
        isLoading = false
        mustRecognize = false
        lastAnswer = took
        answers.append(Answer(audio: audio, took: took))
        if answers.count > Self.keptAnswers { answers.removeFirst() }
    }

    /// A request failed.
    public mutating func failed(_ failure: EngineFailure) {
        failures += 1
        let isSlow = failure.kind == .tooSlow
        if failures >= Self.failureLimit || failure.kind == .notTrusted || failure.kind == .unsuitable
            || (isSlow && isLoading)
        {
            goDown(failure)
            if isSlow { mustRecognize = true }
        }
    }

    /// It answered `describe`. Earlier failures no longer count, unless ``mustRecognize``.
    public mutating func described(detectsSpeech: Bool = false) {
        self.detectsSpeech = detectsSpeech
        guard state != .up, !mustRecognize else { return }
        state = .up
        failures = 0
        probes = 0
        isLoading = true
    }

    /// It did not answer `describe`.
    public mutating func notDescribed(_ failure: EngineFailure) {
        goDown(failure)
        probes += 1
    }

    private mutating func goDown(_ failure: EngineFailure) {
        if !isDown {
            outages += 1
            probes = 0
        }
        state = .down(message: failure.message)
    }

    /// The time until the next `describe` while it is down: 1 s, doubled each time, at most 30 s.
    public var probeDelay: Duration? {
        guard isDown else { return nil }
        return min(.seconds(1 << min(max(probes - 1, 0), 5)), Self.longestProbeDelay)
    }

    /// How long to wait for the text of a passage: three times what such a length took lately, 2 to 15 s; longer while
    /// the engine may be loading.
    /// - Parameters:
    ///   - audio: seconds.
    ///   - hasPreview: there is another text if it does not answer.
    public func timeout(forAudio audio: Double, hasPreview: Bool = false) -> Duration {
        if isLoading { return hasPreview ? Self.loadTimeoutWithPreview : Self.loadTimeout }
        let expected = answers.map { answer in
            answer.took * ((audio + Self.fixedCost) / (answer.audio + Self.fixedCost))
        }.max()
        guard let expected else { return Self.longestTimeout }
        return min(max(expected * Self.timeout, Self.shortestTimeout), Self.longestTimeout)
    }
}
