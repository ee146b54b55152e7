/// A block that was committed and has its text.
public struct FinishedBlock: Hashable, Sendable {
    public var number: BlockNumber
    public var text: String
    /// The words as the engine gave them, where the text is not just those.
    public var spoken: String?
    /// The text begins with a capital only because the block does.
    public var hasInitialCapital: Bool
    public var segments: [Segment]
    /// Seconds of sound.
    public var duration: Double
    public var interruptions: Int
    /// At 16 kHz.
    public var droppedFrames: Int
    /// Committed by the service itself: silence, or the end of the input.
    public var isAutomatic: Bool
    public var problems: [String]
    public var engine: String
    /// Passages that have the preview's text because the engine had none.
    public var fallbacks: Int
    public var language: String
    /// Knows how far words said later may take text back.
    private var form: WrittenForm?

    init(_ commit: Commit, duration: Double, by request: TranscriptionRequest) {
        number = commit.block.number
        text = commit.block.stableText
        form = commit.block.form
        segments =
            form == nil ? commit.block.segments : commit.block.segments.map(\.withoutTokens)
        hasInitialCapital = form?.hasInitialCapital ?? false
        spoken = form == nil ? nil : segments.map(\.text).joined(separator: " ")
        self.duration = duration
        interruptions = commit.block.interruptions
        droppedFrames = commit.block.droppedFrames
        isAutomatic = commit.isAutomatic
        problems = commit.block.problems
        let engines = commit.block.engines
        engine = engines.contains(request.engine) ? request.engine : engines.first ?? request.engine
        fallbacks = commit.block.fallbacks
        language = request.language
    }

    /// Takes back the last utterance.
    /// - Returns: from where, and how many scalars; nil where there is none.
    mutating func takeBack() -> (offset: Int, scalars: Int)? {
        guard let scalars = form?.takeBack() else { return nil }
        text.unicodeScalars.removeLast(scalars)
        return (text.unicodeScalars.count, scalars)
    }
}

extension Segment {
    /// With the words that were spoken for marks.
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
