/// A committed block with its final text.
public struct FinishedBlock: Hashable, Sendable {
    public var number: BlockNumber
    /// Empty if it is withheld.
    public var text: String
    /// It had text, which nobody gets, because a secret field had the focus.
    public let isWithheld: Bool
    /// The words as the engine gave them, if the text is in written form or words were left out.
    public var spoken: String?
    /// Whether the text begins with a capital only because it is the beginning of the block.
    public var hasInitialCapital: Bool
    /// The text before a program of the user's changed it; nil if none did.
    public private(set) var unfiltered: String?
    /// Why that program did not change the text.
    public private(set) var filterFailure: String?
    public var segments: [Segment]
    /// Seconds of audio.
    public var duration: Double
    public var interruptions: Int
    /// At 16 kHz.
    public var droppedFrames: Int
    /// Committed by the service itself: silence, or the end of the input.
    public var isAutomatic: Bool
    public var problems: [String]
    public var engine: String
    /// Passages with the preview's text, because the engine gave none.
    public var fallbacks: Int
    /// Stretches of sound without a voice, which have no text.
    public var noises: Int
    public var language: String
    /// The language of the model that the engine used; nil if unknown.
    public var model: String?
    /// Its position in the recording; nil if unknown.
    public var recorded: RecordedStretch?
    /// The history must not keep its text.
    let isSecret: Bool
    /// Knows how much text later words may take back.
    private var form: WrittenForm?
    /// The number of Unicode scalars that were taken back since the client got the text or the last Retracted.
    private var unsentRetraction = 0

    init(_ commit: Commit, duration: Double, by request: TranscriptionRequest) {
        number = commit.block.number
        let hasSecret = commit.block.isWithheld
        isWithheld = hasSecret && !commit.block.stableText.isEmpty
        text = hasSecret ? "" : commit.block.stableText
        form = hasSecret ? nil : commit.block.form
        let recognised = hasSecret ? [] : commit.block.segments
        segments = commit.block.mayHaveTokens ? recognised.map(\.withoutTokens) : recognised
        hasInitialCapital = form?.hasInitialCapital ?? false
        spoken =
            form == nil && !commit.block.isCleanedUp || hasSecret
            ? nil : segments.map(\.text).joined(separator: " ")
        self.duration = duration
        interruptions = commit.block.interruptions
        droppedFrames = commit.block.droppedFrames
        isAutomatic = commit.isAutomatic
        problems = commit.block.problems
        let engines = commit.block.engines
        fallbacks = commit.block.fallbacks
        let fallback = fallbacks > 0 ? request.previewEngine : nil
        engine =
            engines.contains(request.engine) ? request.engine : engines.first ?? fallback ?? request.engine
        noises = commit.block.noises
        language = commit.block.language ?? request.language
        model = request.models[engine]
        recorded = commit.block.recorded
        isSecret = commit.block.isSecret
    }

    /// Takes the answer of the user's program. Words cannot be taken back from a text that it changed.
    mutating func apply(_ filtered: FilteredText) {
        switch filtered {
        case .failed(let reason): filterFailure = reason
        case .text(let new) where new.hasSameBytes(as: text): break
        case .text(let new):
            unfiltered = text
            text = new
            form = nil
            hasInitialCapital = false
        }
    }

    /// Takes back the last utterance.
    /// - Returns: whether there was text.
    mutating func takeBack() -> Bool {
        guard let scalars = form?.takeBack() else { return false }
        text.unicodeScalars.removeLast(scalars)
        unsentRetraction += scalars
        return true
    }

    /// The text that was taken back since the last call.
    mutating func takeRetraction() -> Retraction? {
        guard unsentRetraction > 0 else { return nil }
        defer { unsentRetraction = 0 }
        return Retraction(block: number, offset: text.unicodeScalars.count, scalars: unsentRetraction)
    }
}

extension Segment {
    /// With the spoken words instead of tokens for marks.
    fileprivate var withoutTokens: Segment {
        var segment = self
        segment.text = SpokenMark.words(of: text)
        for index in words.indices { segment.words[index].text = SpokenMark.words(of: words[index].text) }
        for index in alternatives.indices {
            segment.alternatives[index].text = SpokenMark.words(of: alternatives[index].text)
        }
        return segment
    }
}
