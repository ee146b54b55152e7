/// The dictation between Start, Commit or Cancel and the next Commit or Cancel. Its text only grows, unless the user takes
/// words back.
struct Block: Hashable, Sendable {
    /// A spoken command, or its effect on the text.
    enum Event: Hashable, Sendable {
        /// Text is taken back, but this block has none: take it back from an earlier block.
        case retractEarlier
        case session(SessionCommand)
        /// A phrase that the client registered.
        case phrase(String)
    }

    let number: BlockNumber
    /// What it took from the recogniser, in order.
    private(set) var taken: [JournalText] = []
    /// Its text: in written form, or joined by spaces.
    private(set) var stableText = ""
    /// Text after it that may still change: the unfinished segment, text that is not final, and words whose written form
    /// depends on the next words.
    private(set) var volatileText = ""
    /// Segments of the preview engine that no passage has replaced yet, in order.
    private(set) var previews: [Segment] = []
    /// The engines of the final passages with text.
    private(set) var engines: [String] = []
    /// The language of the last final passage, as its engine spells it; nil if it did not say.
    private(set) var language: String?
    /// Passages that have the preview's text.
    private(set) var fallbacks = 0
    /// Stretches of sound without a voice, which have no text.
    private(set) var noises = 0
    /// Nil: the text is as the engine gives it.
    private(set) var form: WrittenForm?
    /// Speech began in it, which may not be text yet.
    var hasSpeech = false
    var interruptions = 0
    var capturedFrames = 0
    var droppedFrames = 0
    /// Its position in the recording.
    var recorded: RecordedStretch?
    /// The history must not keep its text.
    var isSecret = false
    /// Nobody gets its text, because it was spoken while a secret field had the focus.
    var isWithheld = false
    /// Problems with its audio, by their names on the bus; each once.
    private(set) var problems: [String] = []

    /// The text of the unfinished segment so far.
    private var hypothesis = ""
    /// The text of passages that are not final, from an engine that gives it during speech. Not beside a hypothesis.
    private var live = LiveText()
    /// Unicode scalars of `stableText` that Partials have sent.
    private var sentScalars = 0
    private var unsentStable = ""
    /// The number of Unicode scalars that Partials have sent after `sentScalars`, and that were taken back since.
    private var unsentRetraction = 0
    private var sentVolatile = ""
    private var sentSettled = 0

    /// Where the last speech with known times ended, in seconds.
    private var lastEnd: Double?
    private var formatting: Formatting?
    /// A program of the user's may change all of the text before it is final.
    private var isFiltered: Bool
    /// Leaves words out of the text; nil: none.
    private var cleanUp: CleanUp?

    /// - Parameter isWritten: whether words get their written form.
    init(
        number: BlockNumber, formatting: Formatting? = nil, cleanUp: CleanUp? = nil, isFiltered: Bool = false,
        isWritten: Bool = true
    ) {
        self.number = number
        self.cleanUp = cleanUp
        self.isFiltered = isFiltered
        self.formatting = formatting
        form = isWritten ? formatting?.writtenForm : nil
    }

    /// Of a session whose options were settled late. The block has no text yet.
    mutating func use(_ options: StartOptions) {
        formatting = options.formatting
        form = formatting?.writtenForm
        cleanUp = options.cleanUp
        isFiltered = options.filter != nil
    }

    /// Whether words may be missing in its text.
    var isCleanedUp: Bool { cleanUp != nil }

    /// Whether the engine may write tokens for spoken marks.
    var mayHaveTokens: Bool { formatting != nil }

    /// The finished segments with text, in order, as the engine gave them.
    var segments: [Segment] { taken.lazy.filter { !$0.isLost }.map(\.segment) }

    /// The stable and the volatile text.
    var text: String { stableText + volatileText }

    /// Whether the block has audio or text.
    var wasHeard: Bool { capturedFrames > 0 || !isEmpty }

    /// Whether a commit of it can have text.
    var holdsSpeech: Bool { hasSpeech || !isEmpty }

    var isEmpty: Bool { stableText.isEmpty && volatileText.isEmpty }

    mutating func finish(_ segment: Segment) -> [Event] {
        hypothesis = ""
        return append(segment)
    }

    /// Text during speech of passages that are not final.
    mutating func propose(_ text: LiveText) {
        hypothesis = ""
        live = text
        renewVolatileText()
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
        // An engine that gave no text is not the engine of the text.
        let hasText = passage.segment.map { !$0.text.isEmpty } ?? replaced.contains { !$0.text.isEmpty }
        if hasText, !engines.contains(passage.engine) { engines.append(passage.engine) }
        if hasText, let language = passage.language { self.language = language }
        if passage.isFallback { fallbacks += 1 }
        if let rest = passage.rest {
            hypothesis = ""
            live = rest
        }
        guard let segment = passage.segment else { return append(Array(replaced)) }
        return append(
            segment, isPunctuated: formatting?.punctuatingEngines.contains(passage.engine) ?? false,
            language: passage.language)
    }

    mutating func propose(_ hypothesis: String) {
        self.hypothesis = hypothesis
        live = LiveText()
        renewVolatileText()
    }

    /// The unfinished segment will never be finished. Its hypothesis and the previews become final, without words and
    /// times.
    mutating func loseSegment() -> [Event] {
        if wasHeard { addProblem("segment-lost") }
        if !previews.isEmpty { fallbacks += 1 }
        let kept = previews
        previews = []
        let lost = hypothesis.isEmpty ? live.text : hypothesis
        hypothesis = ""
        live = LiveText()
        return append(kept) + appendLost(lost)
    }

    /// No text follows: words that waited for the next ones are written.
    mutating func close() -> [Event] {
        guard form != nil else { return [] }
        let events = apply(form?.commit() ?? [])
        renewVolatileText()
        return events
    }

    /// Takes what an earlier service's block took. Commands in it were carried out then.
    mutating func restore(_ texts: [JournalText]) {
        for text in texts {
            if text.isLost {
                _ = appendLost(text.segment.text)
            } else {
                _ = append(text.segment, isPunctuated: text.isPunctuated, language: text.language)
            }
        }
    }

    /// The silence after the last word has become long: no number goes on.
    mutating func endPhrase() -> [Event] {
        defer { renewVolatileText() }
        return apply(form?.pause() ?? [])
    }

    /// Whether words wait for the next ones after a pause.
    var hasHeldWords: Bool { (form?.heldWords ?? 0) > 0 }

    /// Whether the text reaches the end of speech at this second. The voice activity detector's end is not exact.
    func hasText(until seconds: Double) -> Bool {
        lastEnd.map { $0 + 0.5 >= seconds } ?? false
    }

    private mutating func appendLost(_ hypothesis: String) -> [Event] {
        if !hypothesis.isEmpty { taken.append(JournalText(Segment(text: hypothesis), isLost: true)) }
        return write(SpokenText(hypothesis))
    }

    private mutating func append(_ segments: [Segment]) -> [Event] {
        segments.flatMap { append($0) }
    }

    private mutating func append(
        _ segment: Segment, isPunctuated: Bool = false, language: String? = nil
    ) -> [Event] {
        if !segment.text.isEmpty {
            taken.append(JournalText(segment, isPunctuated: isPunctuated, language: language))
        }
        var spoken = SpokenText(segment, isPunctuated: isPunctuated, after: lastEnd)
        spoken.language = language
        lastEnd = segment.hasTimes ? segment.end : nil
        return write(spoken)
    }

    private mutating func write(_ spoken: SpokenText) -> [Event] {
        defer { renewVolatileText() }
        let spoken = cleanUp?.clean(spoken) ?? spoken
        guard form != nil else {
            let words = plain(spoken.words)
            if !words.isEmpty { append(stableText.isEmpty ? words : " " + words) }
            return []
        }
        return apply(form?.append(spoken) ?? [])
    }

    private func plain(_ words: String) -> String {
        mayHaveTokens ? SpokenMark.words(of: words) : words
    }

    private mutating func apply(_ edits: [WrittenForm.Edit]) -> [Event] {
        edits.compactMap { edit in
            switch edit {
            case .append(let text):
                append(text)
                return nil
            case .retract(let scalars):
                retract(scalars)
                return nil
            case .retractEarlier: return .retractEarlier
            case .session(let command): return .session(command)
            case .phrase(let phrase): return .phrase(phrase)
            }
        }
    }

    private mutating func append(_ text: String) {
        stableText += text
        unsentStable += text
    }

    private mutating func retract(_ scalars: Int) {
        stableText.unicodeScalars.removeLast(scalars)
        let unsent = unsentStable.unicodeScalars.count
        unsentStable.unicodeScalars.removeLast(min(scalars, unsent))
        let sent = max(0, scalars - unsent)
        sentScalars -= sent
        unsentRetraction += sent
    }

    /// The sent text that was taken back since the last call. To be signalled before the next Partial.
    mutating func takeRetraction() -> Retraction? {
        guard unsentRetraction > 0 else { return nil }
        defer { unsentRetraction = 0 }
        return Retraction(block: number, offset: sentScalars, scalars: unsentRetraction)
    }

    private mutating func renewVolatileText() {
        volatileText = volatileText(live.text)
    }

    /// Text that may change does not change what is left out of later text.
    private func cleaned(_ spoken: [SpokenText]) -> [SpokenText] {
        guard var cleanUp else { return spoken }
        return spoken.map { cleanUp.clean($0) }
    }

    /// - Parameter live: of the text from an engine that gives it during speech.
    private func volatileText(_ live: String) -> String {
        if let form {
            var end = lastEnd
            var spoken = previews.map { segment in
                defer { end = segment.hasTimes ? segment.end : nil }
                return SpokenText(segment, after: end)
            }
            if !hypothesis.isEmpty { spoken.append(SpokenText(hypothesis)) }
            let isPunctuated = formatting?.punctuatingEngines.contains(self.live.engine) ?? false
            if !live.isEmpty {
                spoken.append(
                    SpokenText(live, isPunctuated: isPunctuated, language: self.live.language))
            }
            return form.preview(of: cleaned(spoken))
        }
        let isPunctuated = formatting?.punctuatingEngines.contains(self.live.engine) ?? false
        let spoken =
            (previews.map(\.text) + [hypothesis]).map { SpokenText($0) }
            + [SpokenText(live, isPunctuated: isPunctuated, language: self.live.language)]
        let text = plain(
            cleaned(spoken).map(\.words).filter { !$0.isEmpty }.joined(separator: " "))
        return stableText.isEmpty || text.isEmpty ? text : " " + text
    }

    /// The volatile text with its settled part.
    private var volatile: VolatileText {
        var text = VolatileText(volatileText)
        text.language = live.language
        guard live.settled > 0, live.settled <= live.text.unicodeScalars.count else { return text }
        var settled = ""
        settled.unicodeScalars.append(contentsOf: live.text.unicodeScalars.prefix(live.settled))
        // Words that follow may change how the last settled ones are written.
        text.settled =
            zip(volatileText.unicodeScalars, volatileText(settled).unicodeScalars).prefix { $0 == $1 }
            .count
        return text
    }

    /// A stretch of sound has no voice, and no text.
    mutating func leaveOutNoise() { noises += 1 }

    mutating func addProblem(_ problem: String) {
        if !problems.contains(problem) { problems.append(problem) }
    }

    /// The change of the text since the last call; nil if there is none.
    mutating func takePartial() -> (offset: Int, stable: String, volatile: VolatileText)? {
        guard hasUnsentText else { return nil }
        if isFiltered {
            sentVolatile = text
            return (0, "", VolatileText(text))
        }
        defer {
            sentScalars += unsentStable.unicodeScalars.count
            unsentStable = ""
            sentVolatile = volatileText
            sentSettled = live.settled
        }
        return (sentScalars, unsentStable, volatile)
    }

    var hasUnsentText: Bool {
        if isWithheld { return false }
        return isFiltered
            ? text != sentVolatile
            : !unsentStable.isEmpty || volatileText != sentVolatile || live.settled != sentSettled
    }
}

/// The text of a block that may still change.
public struct VolatileText: Hashable, Sendable, ExpressibleByStringLiteral {
    public var text: String
    /// Unicode scalars at its beginning that are not likely to change.
    public var settled = 0
    /// The language that the engine heard last, as the engine spells it; nil if it did not say.
    public var language: String?

    public init(_ text: String) {
        self.text = text
    }

    public init(stringLiteral text: String) {
        self.text = text
    }
}

/// Text that was taken back from the end of a block.
struct Retraction: Hashable, Sendable {
    var block: BlockNumber
    /// The new end of the text in Unicode scalars.
    var offset: Int
    var scalars: Int
}

extension SpokenText {
    /// - Parameter end: where the speech before it ended, in seconds; nil if unknown.
    fileprivate init(_ segment: Segment, isPunctuated: Bool = false, after end: Double? = nil) {
        self.init(segment.text, isPunctuated: isPunctuated)
        guard segment.hasTimes else {
            pauseAfter = segment.isCut ? .none : .long
            return
        }
        if let end { pauseBefore = Pause(seconds: segment.start - end) }
        // How long the silence gets is known when the next speech begins.
        pauseAfter = segment.isCut ? .none : .short
        guard segment.words.count > 1 else { return }
        pauses =
            zip(segment.words, segment.words.dropFirst()).map { Pause(seconds: $1.start - $0.end) } + [.none]
    }
}
