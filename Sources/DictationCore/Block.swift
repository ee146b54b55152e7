/// What is dictated between Start, Commit or Cancel and the next Commit or Cancel. Its text only grows.
struct Block: Hashable, Sendable {
    let number: BlockNumber
    /// The finished segments that say something, in order.
    private(set) var segments: [Segment] = []
    /// Their texts, one space between them.
    private(set) var stableText = ""
    /// Segments that the preview engine finished and that no passage has made final yet, in order.
    private(set) var previews: [Segment] = []
    /// What the unfinished segment seems to say.
    private(set) var hypothesis = ""
    /// Engines of the passages that are final; empty where there are no passages.
    private(set) var engines: [String] = []
    /// Passages that have the preview's text.
    private(set) var fallbacks = 0
    var interruptions = 0
    var capturedFrames = 0
    var droppedFrames = 0
    /// What went wrong with its sound, in the words of the interface; each once.
    private(set) var problems: [String] = []

    /// Scalars of `stableText` that a Partial has told.
    private var toldScalars = 0
    private var untoldStable = ""
    private var toldVolatile = ""

    init(number: BlockNumber) {
        self.number = number
    }

    /// The stable text and what may still change behind it.
    var text: String { stableText + volatileText }

    /// There is sound or text that a recogniser had to do with.
    var wasHeard: Bool { capturedFrames > 0 || !isEmpty }

    var isEmpty: Bool { stableText.isEmpty && volatileText.isEmpty }

    private var volatileText: String {
        let text = (previews.map(\.text) + [hypothesis]).filter { !$0.isEmpty }.joined(separator: " ")
        return stableText.isEmpty || text.isEmpty ? text : " " + text
    }

    mutating func finish(_ segment: Segment) {
        hypothesis = ""
        guard !segment.text.isEmpty else { return }
        segments.append(segment)
        append(segment.text)
    }

    /// The preview engine finished a segment. Its text stays volatile until its passage is final.
    mutating func preview(_ segment: Segment) {
        hypothesis = ""
        previews.append(segment)
    }

    /// A passage is final: its text replaces that of its previews, once.
    mutating func finish(_ passage: PassageText) {
        let replaced = previews.prefix(passage.replaces)
        previews.removeFirst(replaced.count)
        if !engines.contains(passage.engine) { engines.append(passage.engine) }
        if passage.segment == nil { fallbacks += 1 }
        for segment in passage.segment.map({ [$0] }) ?? Array(replaced) where !segment.text.isEmpty {
            segments.append(segment)
            append(segment.text)
        }
    }

    /// No passage will be made final any more: the preview's text stays.
    private mutating func keepPreviews() {
        if !previews.isEmpty { fallbacks += 1 }
        for segment in previews where !segment.text.isEmpty {
            segments.append(segment)
            append(segment.text)
        }
        previews = []
    }

    mutating func propose(_ hypothesis: String) {
        self.hypothesis = hypothesis
    }

    /// The unfinished segment will never be finished: what it seemed to say stays, without words and times.
    mutating func loseSegment() {
        keepPreviews()
        if !hypothesis.isEmpty { append(hypothesis) }
        hypothesis = ""
        note("segment-lost")
    }

    private mutating func append(_ text: String) {
        let addition = stableText.isEmpty ? text : " " + text
        stableText += addition
        untoldStable += addition
    }

    mutating func note(_ problem: String) {
        if !problems.contains(problem) { problems.append(problem) }
    }

    /// What to tell of the text since the last time; nil where nothing changed.
    mutating func takePartial() -> (offset: Int, stable: String, volatile: String)? {
        guard hasUntoldText else { return nil }
        defer {
            toldScalars += untoldStable.unicodeScalars.count
            untoldStable = ""
            toldVolatile = volatileText
        }
        return (toldScalars, untoldStable, volatileText)
    }

    var hasUntoldText: Bool { !untoldStable.isEmpty || volatileText != toldVolatile }
}

/// A block that was committed and has its text.
public struct FinishedBlock: Hashable, Sendable {
    public var number: BlockNumber
    public var text: String
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

    init(_ commit: Commit, duration: Double, by request: TranscriptionRequest) {
        number = commit.block.number
        text = commit.block.stableText
        segments = commit.block.segments
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
}

/// A block on its way to its text.
struct Commit: Hashable, Sendable {
    var block: Block
    /// Who waits for the text; nil for an automatic commit or when the caller has gone.
    var waiter: Waiter?
    var isAutomatic: Bool
}

/// A call that is answered later, and whose it is.
struct Waiter: Hashable, Sendable {
    var call: CallID
    var client: Client
}
