/// What is dictated between Start, Commit or Cancel and the next Commit or Cancel. Its text only grows.
struct Block: Hashable, Sendable {
    let number: BlockNumber
    /// The finished segments that say something, in order.
    private(set) var segments: [Segment] = []
    /// Their texts, one space between them.
    private(set) var stableText = ""
    /// What the unfinished segment seems to say.
    private(set) var hypothesis = ""
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

    var isEmpty: Bool { stableText.isEmpty && hypothesis.isEmpty }

    private var volatileText: String {
        stableText.isEmpty || hypothesis.isEmpty ? hypothesis : " " + hypothesis
    }

    mutating func finish(_ segment: Segment) {
        hypothesis = ""
        guard !segment.text.isEmpty else { return }
        segments.append(segment)
        append(segment.text)
    }

    mutating func propose(_ hypothesis: String) {
        self.hypothesis = hypothesis
    }

    /// The unfinished segment will never be finished: what it seemed to say stays, without words and times.
    mutating func loseSegment() {
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
        engine = request.engine
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
