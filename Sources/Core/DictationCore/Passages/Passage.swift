/// A stretch of speech that is sent to an engine in one request.
public struct Passage: Hashable, Sendable {
    public var block: BlockNumber
    public var samples: [Int16]
    /// Seconds on the block's clock.
    public var start: Double
    public var end: Double
    /// Whether its first samples also belong to the passage before.
    public var overlaps: Bool
    /// It ends in the middle of speech.
    public var isCut: Bool
    /// The segments that the preview engine finished in it.
    public var preview: [Segment]
    /// Whether the preview engine recognised all of it. If not, its text is not used.
    public var hasPreview: Bool
    /// What its sound shows of a voice; nil if unknown.
    public var voice: VoiceEvidence?

    public init(
        block: BlockNumber, samples: [Int16], start: Double, end: Double, overlaps: Bool = false,
        isCut: Bool = false, preview: [Segment] = [], hasPreview: Bool = true, voice: VoiceEvidence? = nil
    ) {
        self.block = block
        self.samples = samples
        self.start = start
        self.end = end
        self.overlaps = overlaps
        self.isCut = isCut
        self.preview = preview
        self.hasPreview = hasPreview
        self.voice = voice
    }

    var seconds: Double { Double(samples.count) / 16000 }

    /// The preview engine's text; nil if it did not recognise all.
    var previewText: String? {
        hasPreview ? preview.map(\.text).filter { !$0.isEmpty }.joined(separator: " ") : nil
    }

    /// Appends the next passage, without the silence between.
    mutating func join(_ next: Passage) {
        samples += next.samples
        end = next.end
        isCut = next.isCut
        preview += next.preview
        hasPreview = hasPreview && next.hasPreview
        if let other = next.voice { voice? += other } else { voice = nil }
    }
}

/// The final text of a passage.
public struct PassageText: Hashable, Sendable {
    /// The number of preview segments it replaces: the oldest ones that are not final.
    public var replaces: Int
    /// The replacement; nil makes the preview segments final.
    public var segment: Segment?
    /// The engine that recognised it.
    public var engine: String
    /// The language of the passage, as the engine spells it; nil if the engine did not say.
    public var language: String?
    /// The preview engine recognised it, or a part of it, because the engine did not answer.
    public var isFallback: Bool
    /// The text of the passages after it, which replaces the last ``RecognitionEvent/live(_:_:)``; nil leaves it.
    public var rest: LiveText?

    public init(
        replaces: Int, segment: Segment?, engine: String, language: String? = nil, isFallback: Bool = false,
        rest: LiveText? = nil
    ) {
        self.replaces = replaces
        self.segment = segment
        self.engine = engine
        self.language = language
        self.isFallback = isFallback || segment == nil
        self.rest = rest
    }
}
