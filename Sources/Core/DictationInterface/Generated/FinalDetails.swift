// Written by packaging/generate from dbus/*.xml; change those instead.

public import DBus

/// `details` of `Final`. Nil is absent, or of a type that is not known.
public struct FinalDetails: Hashable, Sendable {
    public struct Word: ValueConvertible, Hashable, Sendable {
        public static let signature: Signature = "(sddd)"

        public var text: String
        public var start: Double
        public var end: Double
        public var confidence: Double

        public init(text: String, start: Double, end: Double, confidence: Double) {
            self.text = text
            self.start = start
            self.end = end
            self.confidence = confidence
        }

        public init?(_ value: Value) {
            guard case .structure(let fields) = value,
                let (text, start, end, confidence) = try? fields.decoded(
                    as: String.self, Double.self, Double.self, Double.self)
            else { return nil }
            self.init(text: text, start: start, end: end, confidence: confidence)
        }

        public var value: Value { .structure([Value(text), Value(start), Value(end), Value(confidence)]) }
    }

    public struct Segment: ValueConvertible, Hashable, Sendable {
        public static let signature: Signature = "(sdd)"

        public var text: String
        public var start: Double
        public var end: Double

        public init(text: String, start: Double, end: Double) {
            self.text = text
            self.start = start
            self.end = end
        }

        public init?(_ value: Value) {
            guard case .structure(let fields) = value,
                let (text, start, end) = try? fields.decoded(as: String.self, Double.self, Double.self)
            else { return nil }
            self.init(text: text, start: start, end: end)
        }

        public var value: Value { .structure([Value(text), Value(start), Value(end)]) }
    }

    public struct Alternative: ValueConvertible, Hashable, Sendable {
        public static let signature: Signature = "(sd)"

        public var text: String
        public var score: Double

        public init(text: String, score: Double) {
            self.text = text
            self.score = score
        }

        public init?(_ value: Value) {
            guard case .structure(let fields) = value,
                let (text, score) = try? fields.decoded(as: String.self, Double.self)
            else { return nil }
            self.init(text: text, score: score)
        }

        public var value: Value { .structure([Value(text), Value(score)]) }
    }

    public struct Place: ValueConvertible, Hashable, Sendable {
        public static let signature: Signature = "(dd)"

        public var start: Double
        public var duration: Double

        public init(start: Double, duration: Double) {
            self.start = start
            self.duration = duration
        }

        public init?(_ value: Value) {
            guard case .structure(let fields) = value,
                let (start, duration) = try? fields.decoded(as: Double.self, Double.self)
            else { return nil }
            self.init(start: start, duration: duration)
        }

        public var value: Value { .structure([Value(start), Value(duration)]) }
    }

    /// word, start and end in seconds since the block began, confidence 0 to 1, NaN if the
    /// engine gives none (NaN compares unequal to itself)
    public var words: [Word]?
    /// text, start and end of each segment, as the engine gave them
    public var segments: [Segment]?
    /// all words as the engine recognised them, if the text is in written form, or if the setting
    /// "clean-up" leaves words out
    public var spoken: String?
    /// the text before the program of the setting "filter" changed it; absent if none did
    public var unfiltered: String?
    /// why that program did not change it, for people, in English
    public var filterFailure: String?
    /// true if the text is in written form and begins with a capital only because it begins the
    /// block: in the middle of a sentence a program makes the first letter small
    public var initialCapital: Bool?
    /// alternative texts and their score 0 to 1
    public var alternatives: [Alternative]?
    /// mean of the words' confidence
    public var confidence: Double?
    /// seconds of audio in the block
    public var duration: Double?
    /// the engine of the text
    public var engine: String?
    /// passages with the text of the preview, because that engine did not answer; absent if none
    public var fallback: UInt32?
    /// stretches of sound without a voice, which have no text; absent if none
    public var noise: UInt32?
    /// the language that was heard last, as in Start, or as the engine names it
    public var language: String?
    /// the language of the model that the engine used, such as "en-US" where the language is "en-GB"
    public var model: String?
    /// how often it was interrupted
    public var interruptions: UInt32?
    /// frames (at 16 kHz) lost within it
    public var dropouts: UInt64?
    /// true if there was text that nobody gets, because the session is typed and a field for a
    /// password had the focus: text is empty
    public var withheld: Bool?
    /// true if no call committed it: auto-commit, a spoken command, the end of input or of the
    /// service, a session that was not used
    public var auto: Bool?
    /// what was wrong with its sound, as in ProblemsChanged, and "segment-lost" if some of it could
    /// not be recognised; absent if nothing was
    public var problems: [String]?
    /// where the recording has the block: start and duration in seconds, as in SegmentRecorded.
    /// Absent if nothing is recorded, the recording has failed, or the engine was lost
    public var recorded: Place?

    public init() {}

    public init(_ entries: [BusText: Value]) {
        words = entries["words"].flatMap { [Word]($0) }
        segments = entries["segments"].flatMap { [Segment]($0) }
        spoken = entries["spoken"].flatMap { String($0) }
        unfiltered = entries["unfiltered"].flatMap { String($0) }
        filterFailure = entries["filter-failure"].flatMap { String($0) }
        initialCapital = entries["initial-capital"].flatMap { Bool($0) }
        alternatives = entries["alternatives"].flatMap { [Alternative]($0) }
        confidence = entries["confidence"].flatMap { Double($0) }
        duration = entries["duration"].flatMap { Double($0) }
        engine = entries["engine"].flatMap { String($0) }
        fallback = entries["fallback"].flatMap { UInt32($0) }
        noise = entries["noise"].flatMap { UInt32($0) }
        language = entries["language"].flatMap { String($0) }
        model = entries["model"].flatMap { String($0) }
        interruptions = entries["interruptions"].flatMap { UInt32($0) }
        dropouts = entries["dropouts"].flatMap { UInt64($0) }
        withheld = entries["withheld"].flatMap { Bool($0) }
        auto = entries["auto"].flatMap { Bool($0) }
        problems = entries["problems"].flatMap { [String]($0) }
        recorded = entries["recorded"].flatMap { Place($0) }
    }

    public var entries: [BusText: Value] {
        var entries: [BusText: Value] = [:]
        entries["words"] = words?.value
        entries["segments"] = segments?.value
        entries["spoken"] = spoken?.value
        entries["unfiltered"] = unfiltered?.value
        entries["filter-failure"] = filterFailure?.value
        entries["initial-capital"] = initialCapital?.value
        entries["alternatives"] = alternatives?.value
        entries["confidence"] = confidence?.value
        entries["duration"] = duration?.value
        entries["engine"] = engine?.value
        entries["fallback"] = fallback?.value
        entries["noise"] = noise?.value
        entries["language"] = language?.value
        entries["model"] = model?.value
        entries["interruptions"] = interruptions?.value
        entries["dropouts"] = dropouts?.value
        entries["withheld"] = withheld?.value
        entries["auto"] = auto?.value
        entries["problems"] = problems?.value
        entries["recorded"] = recorded?.value
        return entries
    }
}
