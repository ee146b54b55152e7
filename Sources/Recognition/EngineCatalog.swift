public import DictationCore

/// The engines of the service, and the way to a transcriber for a session.
public struct EngineCatalog: Sendable {
    public struct Entry: Hashable, Sendable {
        public var name: String
        /// Empty where the engine cannot be used.
        public var languages: [String]
        /// Why the engine cannot be used and what to do about it; nil where it can.
        public var problem: String?
    }

    private let engines: [any Engine]
    private let pool: DecoderPool
    private let keptAudio: Duration

    /// - Parameters:
    ///   - engines: the first is the default.
    ///   - keptAudio: how much audio a session keeps while decoding lags behind; beyond it the oldest is
    ///     lost and counted.
    public init(engines: [any Engine], pool: DecoderPool = DecoderPool(), keptAudio: Duration = .seconds(600))
    {
        self.engines = engines
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
        }
    }

    /// Whether a session with this request can begin now. Loads nothing.
    public func check(_ request: TranscriptionRequest) throws(RecognitionError) {
        try engine(request.engine).check(RecognizerSettings(request))
        if let refusal = pool.refusal { throw refusal }
    }

    /// Looks at the grammar and the vocabulary of a request that passed ``check(_:)``. Takes up to some 0.1 s: not for an
    /// event loop.
    public func examine(_ request: TranscriptionRequest) throws(RecognitionError) {
        try engine(request.engine).examine(RecognizerSettings(request))
    }

    /// Opens a transcriber; what keeps it from working is told as ``RecognitionEvent/engineLost(_:message:)``.
    ///
    /// - Parameters:
    ///   - block: the number of the block that begins now.
    ///   - events: called one at a time, from the decoder's thread or from within this call. It must return
    ///     soon and must not call the transcriber.
    public func open(
        _ request: TranscriptionRequest, from block: BlockNumber = 1,
        events: @escaping @Sendable (RecognitionEvent) -> Void
    ) -> Transcriber {
        do throws(RecognitionError) {
            let settings = RecognizerSettings(request)
            let engine = try engine(request.engine)
            try engine.check(settings)
            return Transcriber(
                request, from: block, keptAudio: keptAudio,
                on: DecoderSource(pool: pool, engine: engine, settings: settings), events: events)
        } catch {
            return Transcriber(lost: error, events: events)
        }
    }

    private func engine(_ name: String) throws(RecognitionError) -> any Engine {
        if let engine = engines.first(where: { $0.name == name }) { return engine }
        let known = engines.map(\.name).joined(separator: ", ")
        throw RecognitionError(.engineUnavailable, "There is no engine of this name; there is: \(known).")
    }
}
