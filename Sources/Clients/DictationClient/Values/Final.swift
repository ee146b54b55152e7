public import DBus
import DictationInterface

/// A committed block.
public struct Final: Hashable, Sendable {
    /// Number of the block in its session, from 1.
    public var block: UInt64
    /// Empty if there was no speech.
    public var text: String
    /// All words as the engine recognised them; nil if the text consists of them unchanged.
    public var spoken: String?
    /// The text before a program of the user's changed it; nil if none did.
    public var unfiltered: String?
    /// Why that program did not change the text.
    public var filterFailure: String?
    /// Empty if the engine has none, as are the other lists.
    public var words: [Word]
    public var segments: [Segment]
    public var alternatives: [Alternative]
    /// 0 to 1, the mean over the words.
    public var confidence: Double?
    /// Seconds of sound in the block.
    public var duration: Double?
    public var engine: String?
    /// A BCP 47 tag.
    public var language: String?
    /// How often it was interrupted.
    public var interruptions: Int
    /// Frames, at 16 kHz, that were lost within it.
    public var dropouts: UInt64
    /// Whether the service committed it automatically: after silence, or at the end of input.
    public var isAutomatic: Bool
    /// The text is in written form and has a capital only because the block begins.
    public var hasInitialCapital: Bool
    public var problems: [SoundProblem]
    /// Seconds: where the recording has the block; nil if it is not known.
    public var recorded: Range<Double>?

    /// `details` as in the signal Final. Invalid values are ignored.
    public init(block: UInt64, text: String, details: [BusText: Value] = [:]) {
        let details = FinalDetails(details)
        self.block = block
        self.text = text
        spoken = details.spoken
        unfiltered = details.unfiltered
        filterFailure = details.filterFailure
        words = details.words?.map(Word.init) ?? []
        segments = details.segments?.map { Segment($0.text, start: $0.start, end: $0.end) } ?? []
        alternatives = details.alternatives?.map { Alternative($0.text, score: $0.score) } ?? []
        confidence = details.confidence
        duration = details.duration
        engine = details.engine
        language = details.language
        interruptions = Int(details.interruptions ?? 0)
        dropouts = details.dropouts ?? 0
        isAutomatic = details.auto ?? false
        hasInitialCapital = details.initialCapital ?? false
        problems = details.problems?.map(SoundProblem.init) ?? []
        if let place = details.recorded, place.duration >= 0 {
            recorded = place.start..<place.start + place.duration
        }
    }
}

/// A recognised word. The core of the service has the same three types; programs that use this library do not import
/// it.
public struct Word: Hashable, Sendable {
    public var text: String
    /// Seconds since the block began.
    public var start: Double
    public var end: Double
    /// 0 to 1; nil if the engine has none.
    public var confidence: Double?

    public init(_ text: String, start: Double, end: Double, confidence: Double? = nil) {
        self.text = text
        self.start = start
        self.end = end
        self.confidence = confidence
    }

    init(_ word: FinalDetails.Word) {
        self.init(
            word.text, start: word.start, end: word.end,
            confidence: word.confidence >= 0 ? word.confidence : nil)
    }
}

/// A stretch of speech between silences, pauses and interruptions.
public struct Segment: Hashable, Sendable {
    public var text: String
    /// Seconds since the block began.
    public var start: Double
    public var end: Double

    public init(_ text: String, start: Double, end: Double) {
        self.text = text
        self.start = start
        self.end = end
    }
}

/// An alternative text of the same audio.
public struct Alternative: Hashable, Sendable {
    public var text: String
    /// 0 to 1.
    public var score: Double

    public init(_ text: String, score: Double) {
        self.text = text
        self.score = score
    }
}
