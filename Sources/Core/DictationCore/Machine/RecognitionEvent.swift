/// Number of a block in its session, from 1.
public typealias BlockNumber = UInt64

/// A recognised word on the block's clock: seconds of audio since the block began.
public struct Word: Hashable, Sendable {
    public var text: String
    public var start: Double
    public var end: Double
    /// 0…1: the engine's posterior probability; nil where the engine gives none.
    public var confidence: Double?

    public init(_ text: String, start: Double, end: Double, confidence: Double? = nil) {
        self.text = text
        self.start = start
        self.end = end
        self.confidence = confidence
    }
}

/// An alternative text for the same audio.
public struct Alternative: Hashable, Sendable {
    public var text: String
    /// 0…1, relative to the best text.
    public var score: Double

    public init(_ text: String, score: Double) {
        self.text = text
        self.score = score
    }
}

/// A finished stretch of speech. It never changes.
public struct Segment: Hashable, Sendable {
    /// Without surrounding white space. Empty if nothing was recognised.
    public var text: String
    public var words: [Word]
    public var alternatives: [Alternative]
    /// Seconds on the block's clock.
    public var start: Double
    public var end: Double
    /// Whether it ended in the middle of speech, because it was too long or the audio after it was lost. Otherwise a
    /// pause or a commit ended it.
    public var isCut: Bool

    /// Whether its times are known.
    var hasTimes: Bool { end > start }

    public init(
        text: String, words: [Word] = [], alternatives: [Alternative] = [], start: Double = 0,
        end: Double = 0,
        isCut: Bool = false
    ) {
        self.text = text
        self.words = words
        self.alternatives = alternatives
        self.start = start
        self.end = end
        self.isCut = isCut
    }
}

/// Why an engine was lost. Decides whether the session retries or ends.
public enum EngineLoss: Hashable, Sendable {
    /// The client's request cannot be fulfilled: the session ends with the error, without retry.
    case clientMistake
    /// The engine or its model is not installed, or cannot be loaded.
    case notInstalled
    /// It failed, or cannot be reached.
    case failed
    /// It did not answer in time.
    case tooSlow

    var refusalKind: Refusal.Kind {
        switch self {
        case .clientMistake: .invalidArguments
        case .notInstalled: .engineUnavailable
        case .failed: .engineFailed
        case .tooSlow: .timeout
        }
    }
}

/// Text from engines that give it during speech, of all passages of a block that are not final.
public struct LiveText: Hashable, Sendable {
    public var text: String
    /// Unicode scalars at the beginning of the text that are not likely to change.
    public var settled: Int
    /// The language of its last passage, as the engine spells it; nil if unknown.
    public var language: String?
    /// The engine of its first passage.
    public var engine: String

    public init(_ text: String = "", settled: Int = 0, language: String? = nil, engine: String = "") {
        self.text = text
        self.settled = settled
        self.language = language
        self.engine = engine
    }
}

/// An event of a session's recogniser. Texts and ends of blocks come in the order of the audio. Events that follow
/// from the audio alone (speech, silence, levels) may come before the text of earlier audio.
public enum RecognitionEvent: Hashable, Sendable {
    /// A decoder is loaded. It decodes the audio kept so far.
    case ready
    /// All decoders are in use. Audio is kept until one is free; then follows ``ready``.
    case queued
    /// The voice activity detector heard the beginning of speech, at this second of the block.
    case speechBegan(BlockNumber, at: Double)
    /// The voice activity detector heard the end of speech, at this second of the block.
    case speechEnded(BlockNumber, at: Double)
    /// Speech was followed by silence of ``TranscriptionRequest/silenceLimit``.
    case silenceReached(BlockNumber)
    /// The text of the unfinished segment so far. Replaces the last hypothesis.
    case hypothesis(BlockNumber, String)
    /// The text of passages that are not final, from an engine that gives it during speech. Replaces the last one, and the
    /// last hypothesis.
    case live(BlockNumber, LiveText)
    /// A segment is finished.
    case segment(BlockNumber, Segment)
    /// The preview engine finished a segment. Its text may change until its passage is final.
    case preview(BlockNumber, Segment)
    /// The text of the oldest passage that is not final yet.
    case passage(BlockNumber, PassageText)
    /// Like ``passage(_:_:)``, but no engine recognised all of it.
    case passageLost(BlockNumber, PassageText, message: String)
    /// A stretch of sound has no voice. Words that an engine made of it were dropped.
    case noise(BlockNumber)
    /// The engine of the final text is down. The preview's text is used until it is back. Sent once per outage.
    case finalEngineFailed(message: String)
    /// All audio of the block was decoded, and its events were sent. Duration in seconds of
    /// audio.
    case blockEnded(BlockNumber, duration: Double)
    /// The engine failed twice on the audio of a segment. The segment's words are lost; the block continues.
    case segmentFailed(BlockNumber, message: String)
    /// The engine was lost and does not recover by itself. This is its last event.
    case engineLost(EngineLoss, message: String)
    /// Decoding lags behind the audio by this many seconds. Sent after a change of a second or more.
    case lag(Double)
    /// Frames of speech at 16 kHz that will not be decoded: the oldest contiguous stretch when too much audio waited, or
    /// all that waited when the engine was lost.
    case overrun(BlockNumber, frames: Int)
}

/// A speaker and a microphone. A recogniser adapts to each pair separately.
public enum AcousticKey: Hashable, Sendable {
    /// The user of this client over the source of this name. Kept between sessions.
    case microphone(NodeName, Identity)
    /// Audio that is used once, such as a file; each has a number of its own.
    case once(UInt64)
}
