/// What is dictated between Start, Commit or Cancel and the next Commit or Cancel. Its text only grows, unless the user
/// takes words back.
struct Block: Hashable, Sendable {
    /// What the user said about the text instead of text.
    enum Event: Hashable, Sendable {
        /// Text that was told is taken back: so many scalars from `offset` to the end.
        case retracted(offset: Int, scalars: Int)
        /// Text is to be taken back, and this block has none.
        case retractEarlier
        case endBlock
        case endDictation
        /// A phrase of the client's.
        case phrase(String)
    }

    let number: BlockNumber
    /// The finished segments that say something, in order, as the engine gave them.
    private(set) var segments: [Segment] = []
    /// Their text: in written form, or one space between them.
    private(set) var stableText = ""
    /// What may still change behind it: the unfinished segment, what is not final yet, and words whose writing depends
    /// on what follows.
    private(set) var volatileText = ""
    /// Segments that the preview engine finished and that no passage has made final yet, in order.
    private(set) var previews: [Segment] = []
    /// Engines of the passages that are final; empty where there are no passages.
    private(set) var engines: [String] = []
    /// Passages that have the preview's text.
    private(set) var fallbacks = 0
    /// Nil leaves the text as the engine gives it.
    private(set) var form: WrittenForm?
    var interruptions = 0
    var capturedFrames = 0
    var droppedFrames = 0
    /// What went wrong with its sound, in the words of the interface; each once.
    private(set) var problems: [String] = []

    /// What the unfinished segment seems to say.
    private var hypothesis = ""
    /// Scalars of `stableText` that a Partial has told.
    private var toldScalars = 0
    private var untoldStable = ""
    private var toldVolatile = ""

    private let formatting: Formatting?

    init(number: BlockNumber, formatting: Formatting? = nil) {
        self.number = number
        self.formatting = formatting
        form = formatting?.writtenForm
    }

    /// The stable text and what may still change behind it.
    var text: String { stableText + volatileText }

    /// There is sound or text that a recogniser had to do with.
    var wasHeard: Bool { capturedFrames > 0 || !isEmpty }

    var isEmpty: Bool { stableText.isEmpty && volatileText.isEmpty }

    mutating func finish(_ segment: Segment) -> [Event] {
        hypothesis = ""
        return take(segment)
    }

    /// The preview engine finished a segment. Its text stays volatile until its passage is final.
    mutating func preview(_ segment: Segment) {
        hypothesis = ""
        previews.append(segment)
        renewVolatileText()
    }

    /// A passage is final: its text replaces that of its previews, once.
    mutating func finish(_ passage: PassageText) -> [Event] {
        let replaced = previews.prefix(passage.replaces)
        previews.removeFirst(replaced.count)
        if !engines.contains(passage.engine) { engines.append(passage.engine) }
        guard let segment = passage.segment else {
            fallbacks += 1
            return take(Array(replaced))
        }
        return take(segment, isPunctuated: formatting?.punctuatingEngines.contains(passage.engine) ?? false)
    }

    mutating func propose(_ hypothesis: String) {
        self.hypothesis = hypothesis
        renewVolatileText()
    }

    /// The unfinished segment will never be finished: what it seemed to say stays, without words and times. The same
    /// holds for previews.
    mutating func loseSegment() -> [Event] {
        note("segment-lost")
        if !previews.isEmpty { fallbacks += 1 }
        let kept = previews
        previews = []
        let lost = hypothesis
        hypothesis = ""
        return take(kept) + write(SpokenText(lost))
    }

    /// Nothing follows: what was held is written.
    mutating func close() -> [Event] {
        guard form != nil else { return [] }
        let events = apply(form?.commit() ?? [])
        renewVolatileText()
        return events
    }

    private mutating func take(_ segments: [Segment]) -> [Event] {
        segments.flatMap { take($0) }
    }

    private mutating func take(_ segment: Segment, isPunctuated: Bool = false) -> [Event] {
        if !segment.text.isEmpty { segments.append(segment) }
        return write(SpokenText(segment, isPunctuated: isPunctuated))
    }

    private mutating func write(_ spoken: SpokenText) -> [Event] {
        defer { renewVolatileText() }
        guard form != nil else {
            if !spoken.words.isEmpty { append(stableText.isEmpty ? spoken.words : " " + spoken.words) }
            return []
        }
        return apply(form?.take(spoken) ?? [])
    }

    private mutating func apply(_ edits: [WrittenForm.Edit]) -> [Event] {
        edits.compactMap { edit in
            switch edit {
            case .append(let text):
                append(text)
                return nil
            case .retract(let scalars): return retract(scalars)
            case .retractEarlier: return .retractEarlier
            case .endBlock: return .endBlock
            case .endDictation: return .endDictation
            case .phrase(let phrase): return .phrase(phrase)
            }
        }
    }

    private mutating func append(_ text: String) {
        stableText += text
        untoldStable += text
    }

    /// What was not told is not told to be gone either.
    private mutating func retract(_ scalars: Int) -> Event? {
        stableText.unicodeScalars.removeLast(scalars)
        let untold = untoldStable.unicodeScalars.count
        untoldStable.unicodeScalars.removeLast(min(scalars, untold))
        let told = scalars - untold
        guard told > 0 else { return nil }
        toldScalars -= told
        return .retracted(offset: toldScalars, scalars: told)
    }

    private mutating func renewVolatileText() {
        if let form {
            volatileText = form.preview(of: previews.map { SpokenText($0) } + [SpokenText(hypothesis)])
        } else {
            let text = (previews.map(\.text) + [hypothesis]).filter { !$0.isEmpty }.joined(separator: " ")
            volatileText = stableText.isEmpty || text.isEmpty ? text : " " + text
        }
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

extension SpokenText {
    fileprivate init(_ segment: Segment, isPunctuated: Bool = false) {
        self.init(segment.text, isPunctuated: isPunctuated, isCut: segment.isCut)
    }
}
