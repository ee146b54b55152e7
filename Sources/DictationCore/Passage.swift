/// A stretch of speech that an engine is asked about at once.
public struct Passage: Hashable, Sendable {
    public var block: BlockNumber
    public var samples: [Int16]
    /// Seconds on the block's clock.
    public var start: Double
    public var end: Double
    /// Its first samples belong to the passage before as well.
    public var overlaps: Bool
    /// It ends in the middle of speech.
    public var isCut: Bool
    /// The segments that the preview engine finished in it.
    public var preview: [Segment]
    /// Whether the preview engine heard all of it. If not, its text is no help.
    public var hasPreview: Bool

    public init(
        block: BlockNumber, samples: [Int16], start: Double, end: Double, overlaps: Bool = false,
        isCut: Bool = false, preview: [Segment] = [], hasPreview: Bool = true
    ) {
        self.block = block
        self.samples = samples
        self.start = start
        self.end = end
        self.overlaps = overlaps
        self.isCut = isCut
        self.preview = preview
        self.hasPreview = hasPreview
    }

    var seconds: Double { Double(samples.count) / 16000 }

    /// What the preview engine understood; nil if it did not hear all.
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
    }
}

/// The final text of a passage.
public struct PassageText: Hashable, Sendable {
    /// How many of the preview's segments it replaces: the oldest that are not final yet.
    public var replaces: Int
    /// What replaces them; nil makes them final as they are.
    public var segment: Segment?
    /// Who understood it.
    public var engine: String

    public init(replaces: Int, segment: Segment?, engine: String) {
        self.replaces = replaces
        self.segment = segment
        self.engine = engine
    }
}
