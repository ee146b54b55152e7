public import DictationCore
public import EventLoop

/// An engine outside the process for final texts, and its state: whether it answers, how fast, and which languages it
/// supports. Shared by all sessions that use it.
public final class FinalEngine: Sendable {
    private struct State {
        var health = EngineHealth()
        var description: EngineDescription?
        var isProbing = false
        /// The engine's code for the language that was used last.
        var code = "en"
        var probe: EventLoop.Timer?
        var observers: [Int: @Sendable () -> Void] = [:]
        var lastObserver = 0
        var lastReport: Report?
    }

    /// The state of the engine.
    public struct Report: Hashable, Sendable {
        public var name: String
        public var isLocal: Bool
        /// Empty until it has answered once.
        public var languages: [String]
        /// The program and its version; empty until it has answered once.
        public var program: String
        /// Why it is not used now; nil if it is used.
        public var problem: String?
        /// Whether it gives text during speech.
        public var isLive: Bool
    }

    public let engine: any PassageEngine
    public let fallback: EngineFallback
    /// How long a commit waits for its text.
    let commitTimeout: Duration
    private let loop: EventLoop
    private let state = Lock(State())

    /// - Parameters:
    ///   - commitTimeout: how long a commit waits for its text.
    ///   - loop: where observers are called and timers run.
    public init(
        _ engine: any PassageEngine, fallback: EngineFallback = .preview,
        commitTimeout: Duration = .seconds(5), on loop: EventLoop
    ) {
        self.engine = engine
        self.fallback = fallback
        self.commitTimeout = commitTimeout
        self.loop = loop
    }

    public var name: String { engine.name }

    public var report: Report { state.withLock { report($0) } }

    public var health: EngineHealth { state.withLock { $0.health } }

    /// When it gives text, as it described itself last.
    public var kind: PassageEngineKind { state.withLock { $0.description?.kind } ?? .wholePassages }

    /// The engine's code for a language; nil if the engine does not support it. Until the engine has answered once, every
    /// language counts as supported.
    func code(for tag: String) -> String? {
        state.withLock { state in
            state.description.map { $0.code(for: tag) } ?? LanguageTag.primary(of: tag)
        }
    }

    // MARK: Health

    /// Requests the engine's description, and a recognition if it must show that it recognises; unless a request is in
    /// progress.
    public func probe() {
        let isNeeded = state.withLock { state in
            defer { state.isProbing = true }
            return !state.isProbing
        }
        guard isNeeded else { return }
        engine.describe { [weak self] result in self?.described(result) }
    }

    private func described(_ result: Result<EngineDescription, EngineFailure>) {
        let code: String? = change { state in
            switch result {
            case .success(let description):
                state.description = description
                state.health.described(detectsSpeech: description.detectsSpeech)
                if state.health.mustRecognize { return state.code }
            case .failure(let failure):
                state.health.notDescribed(failure)
            }
            state.isProbing = false
            planProbe(&state, isNew: true)
            return nil
        }
        if let code { recognizeSilence(in: code) }
    }

    private static let silence = 1.0
    private static let recognitionTimeout = Duration.seconds(15)

    private func recognizeSilence(in code: String) {
        let began = SuspendingClock.now
        let samples = [Int16](repeating: 0, count: Int(Self.silence * 16000))
        engine.recognize(samples, PassageOptions(languages: [code]), timeout: Self.recognitionTimeout) {
            [weak self] result in
            self?.change { state in
                state.isProbing = false
                switch result {
                case .success:
                    state.health.answered(audio: Self.silence, took: SuspendingClock.now - began)
                case .failure(let failure):
                    state.health.notDescribed(failure)
                }
                self?.planProbe(&state, isNew: true)
            }
        }
    }

    /// Remembers the language of a request.
    func willRecognize(in code: String) { state.withLock { $0.code = code } }

    /// Changes its health.
    func withHealth<Result: Sendable>(_ body: (inout EngineHealth) -> Result) -> Result {
        change { state in
            let result = body(&state.health)
            planProbe(&state, isNew: false)
            return result
        }
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, observers) = state.withLock { state in
            let result = body(&state)
            let report = report(state)
            let isNew = report != state.lastReport
            state.lastReport = report
            return (result, isNew ? Array(state.observers.values) : [])
        }
        // Called later, because the caller may hold a lock that an observer takes.
        for observer in observers { loop.execute(observer) }
        return result
    }

    private func planProbe(_ state: inout State, isNew: Bool) {
        guard let delay = state.health.probeDelay else {
            state.probe?.cancel()
            state.probe = nil
            return
        }
        guard isNew || state.probe == nil else { return }
        state.probe?.cancel()
        state.probe = loop.schedule(after: delay) { [weak self] in self?.probe() }
    }

    private func report(_ state: State) -> Report {
        var problem: String?
        if case .down(let message) = state.health.state { problem = message }
        return Report(
            name: engine.name, isLocal: engine.isLocal, languages: state.description?.languages ?? [],
            program: state.description?.program ?? "", problem: problem,
            isLive: state.description?.kind.isLive ?? false)
    }

    // MARK: Observers

    /// Calls `observer` on the loop whenever the report has changed.
    /// - Returns: a function that removes the observer.
    public func observe(_ observer: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let id = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
        return { [weak self] in self?.state.withLock { state in state.observers[id] = nil } }
    }

    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> EventLoop.Timer {
        loop.schedule(after: delay, body)
    }
}
