import EventLoop

/// The pool, the engine and the settings of a session's decoders.
struct DecoderSource: Sendable {
    let pool: DecoderPool
    let engine: any Engine
    let settings: RecognizerSettings
    let key: DecoderKey

    init(pool: DecoderPool, engine: any Engine, settings: RecognizerSettings) {
        self.pool = pool
        self.engine = engine
        self.settings = settings
        key = DecoderKey(engine: engine.name, settings: engine.loadSettings(settings))
    }
}

/// Decoders with the same key serve each other's sessions.
struct DecoderKey: Hashable, Sendable {
    var engine: String
    var settings: RecognizerSettings
}

/// The use of one decoder while there is something to decode: requested, granted, returned.
final class DecoderLease: Sendable {
    typealias Work = @Sendable (DecoderLease, DecoderSlot) -> Void
    typealias Ended = @Sendable (DecoderLease) -> Void
    typealias Refused = @Sendable (DecoderLease, RecognitionError) -> Void

    /// An additional decoder for a recording. Not queued.
    let isOptional: Bool
    /// Runs on the decoder's thread. When it returns, the decoder is returned to the pool.
    let work: Work
    /// The decoder is back in the pool. Called on its thread, after `work`.
    let ended: Ended
    /// No decoder is available. Called on any thread, instead of `work`.
    let refused: Refused
    private let begun = Lock(false)

    init(isOptional: Bool, work: @escaping Work, ended: @escaping Ended, refused: @escaping Refused) {
        self.isOptional = isOptional
        self.work = work
        self.ended = ended
        self.refused = refused
    }

    var hasBegun: Bool {
        get { begun.withLock { $0 } }
        set { begun.withLock { $0 = newValue } }
    }
}
