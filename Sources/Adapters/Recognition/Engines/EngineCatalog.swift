public import DictationCore

/// The engines of the service. Opens a transcription for each session.
public struct EngineCatalog: Sendable {
    public struct Entry: Hashable, Sendable {
        public var name: String
        /// Empty if the engine cannot be used.
        public var languages: [String]
        /// Why the engine cannot be used and what to do about it; nil if it can.
        public var problem: String?
        /// The name of its program, for people; empty if it is the service itself, or not known yet.
        public var program = ""
        /// Whether audio stays on this machine.
        public var isLocal = true
        /// Whether another engine provides the text during speech.
        public var isSecondPass = false
        /// Whether it gives text during speech itself.
        public var isLive = true
        /// Duration of its last request in seconds.
        public var lastAnswer: Double?
    }

    private let engines: [any Engine]
    /// Engines in other processes.
    public var finalEngines: [FinalEngine]
    private let pool: DecoderPool
    private let keptAudio: Duration

    /// - Parameters:
    ///   - engines: the engines in this process. They recognise during speech.
    ///   - finalEngines: the engines in other processes.
    ///   - keptAudio: how much audio a session keeps while decoding lags behind. Beyond that the oldest audio is dropped
    ///     and counted.
    public init(
        engines: [any Engine], finalEngines: [FinalEngine] = [], pool: DecoderPool = DecoderPool(),
        keptAudio: Duration = .seconds(600)
    ) {
        self.engines = engines
        self.finalEngines = finalEngines
        self.pool = pool
        self.keptAudio = keptAudio
    }

    public var entries: [Entry] {
        engines.map { engine in
            do throws(RecognitionError) {
                try engine.check(RecognizerSettings())
                return Entry(name: engine.name, languages: engine.languages)
            } catch {
                return Entry(name: engine.name, languages: [], problem: error.message)
            }
        } + finalEngines.map(\.entry)
    }

    /// Calls `observer` on the loop whenever ``entries`` have changed.
    public func observe(_ observer: @escaping @Sendable () -> Void) {
        for engine in finalEngines { _ = engine.observe(observer) }
    }

    /// Checks which engines in other processes are available.
    public func probe() {
        for engine in finalEngines { engine.probe() }
    }

    /// Whether a session with this request can begin now. Loads nothing.
    public func check(_ request: TranscriptionRequest) throws(RecognitionError) {
        _ = try source(request)
        if let refusal = pool.refusal { throw refusal }
    }

    /// The request with the first engine of `names` that is available and supports the language. An engine in another
    /// process is chosen even if it is not available now, provided that a preview engine exists. Loads nothing.
    ///
    /// - Parameter previews: the engines that are preferred for the text during speech. Any other engine of the service
    ///   comes after them.
    public func choose(
        _ request: TranscriptionRequest, from names: [String], previewsFrom previews: [String]
    ) throws(RecognitionError) -> TranscriptionRequest {
        var firstError: RecognitionError?
        for name in names {
            do throws(RecognitionError) {
                var chosen = request
                chosen.engine = name
                if let engine = finalEngines.first(where: { $0.name == name }) {
                    chosen.previewEngine = try previewEngine(
                        for: chosen, of: engine, from: previews)
                }
                try check(chosen)
                for engine in [chosen.engine, chosen.previewEngine].compactMap(\.self) {
                    chosen.models[engine] = model(of: engine, for: chosen.language)
                }
                return chosen
            } catch {
                firstError = firstError ?? error
            }
        }
        throw firstError ?? RecognitionError(.engineUnavailable, "No engine is configured.")
    }

    /// The language of the engine's model for a language.
    private func model(of name: String, for language: String) -> String? {
        engines.first { $0.name == name }?.model(for: language)
            ?? finalEngines.first { $0.name == name }?.code(for: language)
    }

    /// The engine that recognises during speech; nil if no engine of the service supports the language.
    private func previewEngine(
        for request: TranscriptionRequest, of engine: FinalEngine, from names: [String]
    ) throws(RecognitionError) -> String? {
        if request.grammar != nil {
            throw RecognitionError(
                .invalidOptions, "The engine \(engine.name) takes no grammar: use pocketsphinx for it.")
        }
        guard engine.code(for: request.language) != nil else {
            throw RecognitionError(
                .unsupportedLanguage, "The engine \(engine.name) does not know \(request.language).")
        }
        var preview: String?
        let preferred = engines.filter { names.contains($0.name) }
        for candidate in preferred + engines where preview == nil {
            do throws(RecognitionError) {
                try candidate.check(RecognizerSettings(request))
                preview = candidate.name
            } catch {
                if error.kind == .invalidOptions { throw error }
            }
        }
        if let problem = engine.report.problem, preview == nil {
            throw RecognitionError(.engineUnavailable, problem)
        }
        return preview
    }

    /// Checks the grammar and the vocabulary of a request that passed ``check(_:)``. Blocks for up to some 10 s.
    /// - Returns: the request, with pronunciations for words that need one and had none.
    public func examine(_ request: TranscriptionRequest) throws(RecognitionError) -> TranscriptionRequest {
        let name = request.previewEngine ?? request.engine
        guard let engine = engines.first(where: { $0.name == name }) else { return request }
        var examined = request
        examined.vocabulary = try engine.examine(RecognizerSettings(request)).vocabulary
        return examined
    }

    /// Opens the recogniser of a session. Later failures are reported as ``RecognitionEvent/engineLost(_:message:)``.
    ///
    /// - Parameters:
    ///   - block: the number of the block that begins now.
    ///   - events: called one at a time, on the decoder's thread or within this call. Must return soon, and must not call
    ///     the transcription.
    public func open(
        _ request: TranscriptionRequest, from block: BlockNumber = 1,
        events: @escaping @Sendable (RecognitionEvent) -> Void
    ) throws(RecognitionError) -> Transcription {
        Transcription(
            request, from: block, keptAudio: keptAudio, on: try source(request),
            finalEngine: finalEngines.first { $0.name == request.engine },
            isOrdinary: isOrdinary(request.language), events: events)
    }

    /// Whether a word in lower case is in the language's dictionary. Without a dictionary every word may be one.
    private func isOrdinary(_ language: String) -> @Sendable (String) -> Bool {
        for engine in engines {
            if let isOrdinary = engine.ordinaryWords(of: language) { return isOrdinary }
        }
        return { _ in true }
    }

    /// The decoders that recognise a session during speech.
    private func source(_ request: TranscriptionRequest) throws(RecognitionError) -> DecoderSource {
        let isFinal = finalEngines.contains { $0.name == request.engine }
        if isFinal, request.previewEngine == nil {
            return DecoderSource(pool: pool, engine: SilentEngine(), settings: RecognizerSettings())
        }
        let settings = RecognizerSettings(request)
        let engine = try engine(isFinal ? request.previewEngine ?? "" : request.engine)
        try engine.check(settings)
        return DecoderSource(pool: pool, engine: engine, settings: settings)
    }

    private func engine(_ name: String) throws(RecognitionError) -> any Engine {
        if let engine = engines.first(where: { $0.name == name }) { return engine }
        let known = (engines.map(\.name) + finalEngines.map(\.name)).joined(separator: ", ")
        throw RecognitionError(.engineUnavailable, "There is no engine of this name. Available: \(known).")
    }
}

extension FinalEngine {
    fileprivate var entry: EngineCatalog.Entry {
        let report = report
        return EngineCatalog.Entry(
            name: report.name, languages: report.languages, problem: report.problem,
            program: report.program, isLocal: report.isLocal, isSecondPass: true,
            isLive: report.isLive,
            lastAnswer: health.lastAnswer.map { $0 / .seconds(1) })
    }
}
