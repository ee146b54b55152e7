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

/// Another reading of the same audio.
public struct Alternative: Hashable, Sendable {
    public var text: String
    /// 0…1, relative to the best reading.
    public var score: Double

    public init(_ text: String, score: Double) {
        self.text = text
        self.score = score
    }
}

/// A finished stretch of speech. It never changes.
public struct Segment: Hashable, Sendable {
    /// What to show, without surrounding white space. Empty where nothing was understood.
    public var text: String
    public var words: [Word]
    public var alternatives: [Alternative]
    /// Seconds on the block's clock.
    public var start: Double
    public var end: Double
    /// It ended in the middle of speech, because it had its greatest length or what followed was lost; otherwise a
    /// pause or a commit ended it.
    public var isCut: Bool

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

/// Why an engine is gone; it decides what becomes of the session.
public enum EngineLoss: Hashable, Sendable {
    /// What the client asked for cannot be done: the session ends with that error, and nothing is tried again.
    case clientMistake
    /// The engine or its model is not installed, or cannot be loaded.
    case notInstalled
    /// It failed, or cannot be reached.
    case failed
    /// It takes longer than it may.
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

/// What the recogniser of a session tells. Texts and ends of blocks come in the order of the audio; what is known
/// from the audio alone (speech, silence, levels) may come before the text of what was said earlier.
public enum RecognitionEvent: Hashable, Sendable {
    /// A decoder is loaded. Audio given before it was kept and is being decoded.
    case ready
    /// All decoders are in use: audio waits until one is free, which ``ready`` tells.
    case queued
    /// The voice activity detector heard the beginning of speech, at this second of the block.
    case speechBegan(BlockNumber, at: Double)
    /// The voice activity detector heard the end of speech, at this second of the block.
    case speechEnded(BlockNumber, at: Double)
    /// Behind speech there were as many samples of silence as ``TranscriptionRequest/silenceLimit`` says.
    case silenceReached(BlockNumber)
    /// What the unfinished segment seems to say. Replaces the hypothesis before it.
    case hypothesis(BlockNumber, String)
    /// A segment is finished.
    case segment(BlockNumber, Segment)
    /// The preview engine finished a segment. Its text may change until its passage is final.
    case preview(BlockNumber, Segment)
    /// The text of the oldest passage that is not final yet.
    case passage(BlockNumber, PassageText)
    /// The same, but part of it was understood by nobody.
    case passageLost(BlockNumber, PassageText, message: String)
    /// The engine of the final text is down; the preview's text is used until it is back. Told once per outage.
    case finalEngineFailed(message: String)
    /// Everything given before ``Transcribing/endBlock(_:)`` is decoded and told. Duration in seconds of
    /// audio.
    case blockEnded(BlockNumber, duration: Double)
    /// The engine failed on a segment twice, with its audio given again the second time; the segment's
    /// words are lost, the block goes on.
    case segmentFailed(BlockNumber, message: String)
    /// The engine is gone and does not come back by itself. Nothing is told after it.
    case engineLost(EngineLoss, message: String)
    /// Decoding lags behind the audio by this many seconds (told when it changes by a second or more).
    case lag(Double)
    /// This many frames of speech at 16 kHz are not decoded: one stretch, the oldest that waited when the bound on kept
    /// audio was passed, or what waited when the engine was lost.
    case overrun(BlockNumber, frames: Int)
    /// The microphone itself is the trouble, noticed from the samples.
    case level(LevelProblem)
}

public enum LevelProblem: String, Hashable, Sendable {
    case tooQuiet = "input-too-quiet"
    case clipping
    /// Nothing but digital zeroes.
    case silent = "input-silent"
}

/// Whose voice over which microphone: what a recogniser learns about one says nothing about another.
public enum AcousticKey: Hashable, Sendable {
    /// A client's voice over the source of this name, remembered from session to session.
    case microphone(NodeName, Identity)
    /// A sound that is heard once, such as a file; each has a number of its own.
    case once(UInt64)
}

/// What a session needs of a recogniser. Calls return at once and take effect in the order they were made,
/// relative to the audio given before them.
public protocol Transcribing: AnyObject, Sendable {
    /// Signed 16 bit mono at 16 kHz, belonging to the current block.
    /// - Returns: false where the recogniser is gone or closed, and the samples were not taken.
    @discardableResult func append(_ samples: [Int16]) -> Bool
    /// The audio stops here for now (pause, interruption, a change of microphone): finish the segment, not
    /// the block.
    func cut()
    /// What is appended from here on is another voice or comes from another microphone; this ends the segment.
    func acousticsChanged(to key: AcousticKey)
    /// Finish the current block; what is appended next belongs to the next number.
    func endBlock(_ block: BlockNumber)
    /// Forget the current block, decoded or not; nothing of it is told from now on. What is appended next
    /// belongs to the next number.
    func discardBlock(_ block: BlockNumber)
    /// Waits, as the only call here that does, until there is less audio than the decoder could want, or
    /// until closed. For a reader of a file on a thread of its own.
    func waitForRoom()
    /// Forget everything and free the decoder. Nothing is told after it.
    func close()
}
