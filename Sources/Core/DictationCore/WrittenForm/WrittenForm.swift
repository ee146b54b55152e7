/// An engine's text for a stretch of speech.
public struct SpokenText: Hashable, Sendable {
    /// Separated by white space.
    public var words: String
    /// Whether the engine wrote capitals and marks itself.
    public var isPunctuated: Bool
    /// The silence before it; nil if unknown.
    public var pauseBefore: Pause?
    /// The silence after it as far as it is known. None if it ended in the middle of speech.
    public var pauseAfter: Pause
    /// The silence after each word; empty if unknown.
    public var pauses: [Pause]
    /// As the request has it; nil if it is that of the text before.
    public var language: String?

    public init(
        _ words: String, isPunctuated: Bool = false, pauseBefore: Pause? = nil, pauseAfter: Pause = .long,
        pauses: [Pause] = [], language: String? = nil
    ) {
        self.language = language
        self.words = words
        self.isPunctuated = isPunctuated
        self.pauseBefore = pauseBefore
        self.pauseAfter = pauseAfter
        self.pauses = pauses
    }
}

/// Converts the spoken words of a block to written text.
///
/// Words are taken as they are recognised, in any pieces. Written text changes only by spoken commands that take it
/// back. Words whose written form depends on the next words are held until those are known. The result does not depend on
/// how the words were cut into pieces.
public struct WrittenForm: Hashable, Sendable {
    /// A change of the text.
    public enum Edit: Hashable, Sendable {
        case append(String)
        /// Takes back this many Unicode scalars at the end.
        case retract(scalars: Int)
        /// The block has no text to take back: call ``takeBack()`` on an earlier block.
        case retractEarlier
        case session(SessionCommand)
        /// A phrase that the client registered was spoken.
        case phrase(String)
    }

    /// A place in the text to which a command can go back: the length of the text, and the context there.
    private struct Anchor: Hashable, Sendable {
        var length: Int
        var context: Context
    }

    /// Maximum number of anchors. The oldest are dropped.
    static let keptAnchors = 64

    /// Maximum number of words that wait for the next ones. More words do not change the written form of the first.
    public static let mostHeld = 64

    /// The number of words that wait for the next ones.
    public var heldWords: Int { held.count }

    private var lexicon: Lexicon
    private var language: String
    /// All of them, by their languages.
    private let lexicons: [String: Lexicon]
    /// Whether the engine of the next words writes capitals and marks itself.
    private var isPunctuated: Bool
    private var context: Context
    private var held: [SpokenWord] = []
    /// Why marks, numbers and commands were read as they were; nil unless asked for.
    private var explanations: [Explanation]?
    private var anchors: [Anchor]
    /// The number of Unicode scalars that were written and not taken back.
    public private(set) var length = 0

    /// Whether the text begins with a capital only because it is the beginning. In the middle of a sentence the letter should
    /// be lower-case.
    public var hasInitialCapital: Bool { context.hasInitialCapital ?? false }

    /// - Parameters:
    ///   - language: of `lexicon`; empty if it is the only one.
    ///   - others: the lexicons of other languages that may be spoken.
    ///   - punctuated: the engine writes capitals and marks itself.
    ///   - explains: keep the reasons for ``takeExplanations()``.
    public init(
        _ lexicon: Lexicon, of language: String = "", others: [String: Lexicon] = [:],
        punctuated: Bool = false, explains: Bool = false
    ) {
        explanations = explains ? [] : nil
        self.lexicon = lexicon
        self.language = language
        lexicons = others.merging([language: lexicon]) { $1 }
        isPunctuated = punctuated
        context = Context(punctuated: punctuated)
        anchors = [Anchor(length: 0, context: context)]
    }

    /// The explanations since the last call.
    public mutating func takeExplanations() -> [Explanation] {
        defer { if explanations != nil { explanations = [] } }
        return explanations ?? []
    }

    // MARK: Words

    /// Takes words that will not change, separated by white space.
    public mutating func append(_ words: String) -> [Edit] {
        hold(words, .none)
        return write(isClosed: false)
    }

    /// Takes words of any engine that will not change.
    public mutating func append(_ spoken: SpokenText) -> [Edit] {
        var edits = spoken.language.map { use($0) } ?? []
        if spoken.isPunctuated != isPunctuated, !spoken.words.isEmpty {
            isPunctuated = spoken.isPunctuated
            context.engineChanged(punctuates: isPunctuated, isAtStart: length == 0 && held.isEmpty)
        }
        edits += spoken.pauseBefore.map { pause($0) } ?? []
        hold(spoken)
        edits += write(isClosed: false)
        return edits + pause(spoken.pauseAfter)
    }

    private mutating func hold(_ spoken: SpokenText) {
        guard !spoken.pauses.isEmpty else { return hold(spoken.words, .none) }
        let tokens = spoken.words.utf8.split(whereSeparator: SpokenWord.isBlank)
        guard tokens.count == spoken.pauses.count else { return hold(spoken.words, .none) }
        for (token, pause) in zip(tokens, spoken.pauses) { hold(String(Substring(token)), pause) }
    }

    /// Writes the next words by the rules of their language. No rule reads across languages.
    private mutating func use(_ language: String) -> [Edit] {
        guard language != self.language, let lexicon = lexicons[language] else { return [] }
        let edits = pause()
        context.forgetWords()
        self.lexicon = lexicon
        self.language = language
        return edits
    }

    /// - Parameter pause: after the last of the words.
    private mutating func hold(_ words: String, _ pause: Pause) {
        let new = SpokenWord.words(of: words, in: lexicon, punctuated: isPunctuated)
        held += new
        if !new.isEmpty { held[held.count - 1].pause = pause }
    }

    /// The speaker paused. No rule reads across a long pause. Further silence makes a short pause long.
    public mutating func pause(_ pause: Pause = .long) -> [Edit] {
        guard pause != .none else { return [] }
        if held.isEmpty {
            context.pause = max(context.pause, pause)
            addAnchor()
            return []
        }
        let last = held.count - 1
        held[last].pause = max(held[last].pause, pause)
        return write(isClosed: held[last].pause == .long)
    }

    /// The block ends here.
    public mutating func commit() -> [Edit] {
        var edits = pause()
        var text = Draft()
        releasePunctuation(into: &text)
        append(&text, to: &edits)
        addAnchor()
        return edits
    }

    /// The text that `words`, which may still change, would add if the block ended after them.
    public func preview(of words: String) -> String {
        preview(of: [SpokenText(words, isPunctuated: isPunctuated)])
    }

    /// The same for several stretches of speech.
    public func preview(of spoken: [SpokenText]) -> String {
        var copy = self
        var text = ""
        for edit in spoken.flatMap({ copy.append($0) }) + copy.commit() {
            switch edit {
            case .append(let addition): text += addition
            case .retract(let count): text.unicodeScalars.removeLast(min(count, text.unicodeScalars.count))
            case .retractEarlier, .session, .phrase: break
            }
        }
        return text
    }

    /// Takes back the last utterance, sentence or line.
    /// - Returns: the number of Unicode scalars; nil if there is no text.
    public mutating func takeBack() -> Int? {
        if anchors.count > 1, anchors[anchors.count - 1].length == length { anchors.removeLast() }
        let anchor = anchors[anchors.count - 1]
        guard anchor.length < length else { return nil }
        defer {
            length = anchor.length
            context = anchor.context
        }
        return length - anchor.length
    }

    // MARK: Writing

    private mutating func write(isClosed: Bool) -> [Edit] {
        var edits: [Edit] = []
        // Most words are written as they are said.
        var text = Draft(capacity: held.count * 6)
        var position = 0
        while position < held.count {
            if held[position].isEngineMark, context.endsWithWord, context.heldPunctuation.isEmpty {
                context.heldPunctuation = " " + held[position].text
                endUnit(held[position...position], &text)
                position += 1
                continue
            }
            if held[position].sense.roles.isDisjoint(with: Parser.start),
                !context.mayBeginAddress(held[position], lexicon)
            {
                // No rule begins with this word.
                releasePunctuation(into: &text)
                write(held[position], into: &text)
                finish(held[position], &text)
                context.clause.add(lexicon.classes(of: held[position]))
                position += 1
                continue
            }
            let words = held[position...].prefix(Self.mostHeld)
            let isFull = words.count == Self.mostHeld
            var parser = Parser(
                lexicon, words, isClosed: isClosed || isFull, context, explains: explanations != nil)
            guard let unit = parser.unit() else { break }
            if let new = parser.explanations { explanations?.append(contentsOf: new) }
            write(unit, held[position..<position + unit.length], into: &text, &edits)
            position += unit.length
        }
        append(&text, to: &edits)
        held.removeFirst(position)
        return edits
    }

    private mutating func write(
        _ unit: Unit, _ words: ArraySlice<SpokenWord>, into text: inout Draft, _ edits: inout [Edit]
    ) {
        switch unit.writing {
        case .mark(let mark):
            write(mark, into: &text)
            endUnit(words, &text)
            return
        case .control(let control):
            releasePunctuation(into: &text)
            context.apply(control)
            endUnit(words, &text)
            return
        case .command(let command):
            if case .takeBack = command { context.heldPunctuation = "" }
            releasePunctuation(into: &text)
            append(&text, to: &edits)
            carryOut(command, &edits)
            return
        default: break
        }
        releasePunctuation(into: &text)
        switch unit.writing {
        case .literal(let count): for word in words.suffix(count) { write(word, into: &text) }
        case .words: for word in words { write(word, into: &text) }
        case .nameOfMark:
            for word in words { write(word, into: &text) }
            context.isAboutMarks = true
        case .word(let word): context.writeWord(word, into: &text)
        case .fixed(let fixed): context.writeFixed(fixed, isNumber: true, into: &text)
        case .continued(let end):
            context.gap = .none
            context.writeFixed(end, isNumber: false, into: &text)
        case .verbatim(let phrase): writePhrase(phrase, into: &text)
        case .mark, .control, .command: break
        }
        if words.count > 1 { context.remember(words[words.endIndex - 2]) }
        finish(words[words.endIndex - 1], &text)
        switch unit.writing {
        case .words, .literal, .nameOfMark:
            for word in words { context.clause.add(lexicon.classes(of: word)) }
        case .fixed: context.clause.addNumber()
        default: context.clause.add([])
        }
        // "period" is a word after "fifth", but not after a date that ends with it.
        if case .fixed = unit.writing { context.last.number = .none }
    }

    private mutating func write(_ word: SpokenWord, into text: inout Draft) {
        let isSuffix = word.sense.roles.contains(.suffix)
        context.writeWord(lexicon.written(word), isSuffix: isSuffix, into: &text)
    }

    /// - Parameter word: the last written word.
    private mutating func finish(_ word: SpokenWord, _ text: inout Draft) {
        context.remember(word)
        context.endsWithWord = true
        context.endsWithSymbol = false
        if !word.punctuation.isEmpty { context.heldPunctuation = word.punctuation }
        context.pause = word.pause
        if word.pause != .none { addAnchor(after: &text) }
    }

    /// After a mark, a control or the engine's own mark.
    private mutating func endUnit(_ words: ArraySlice<SpokenWord>, _ text: inout Draft) {
        context.pause = words.last?.pause ?? .none
        if context.pause != .none { addAnchor(after: &text) }
    }

    private mutating func write(_ mark: Lexicon.Mark, into text: inout Draft) {
        let replaces =
            [.attached, .sentence].contains(mark.spacing)
            // Engines put commas around "dash" and "hyphen".
            || [.apart, .between].contains(mark.spacing) && context.heldPunctuation == ","
        if replaces { context.heldPunctuation = "" } else { releasePunctuation(into: &text) }
        context.write(mark, into: &text)
        context.forgetWords()
        context.endsWithWord = mark.spacing == .closing
        context.endsWithSymbol = mark.spacing == .prefix || mark.spacing == .beforeNumber
        if mark.spacing == .sentence || mark.spacing == .lineBreak { addAnchor(after: &text) }
    }

    /// Writes the text of a user's phrase. Its marks affect the next word; its case does not change.
    private mutating func writePhrase(_ phrase: String, into text: inout Draft) {
        if lexicon.attachedMarks.contains(phrase) || phrase.first?.isWhitespace == true {
            context.gap = .none
        }
        context.writeFixed(phrase, isNumber: false, into: &text)
        if phrase.last?.isWhitespace == true { context.gap = .none }
        let ending = phrase.last.map { ".!?\n".contains($0) } ?? false
        context.beginsSentence = ending && !isPunctuated
    }

    /// Writes the engine's punctuation after the last word, because no spoken mark replaced it.
    private mutating func releasePunctuation(into text: inout Draft) {
        guard !context.heldPunctuation.isEmpty else { return }
        // The punctuation belongs to the utterance before the pause.
        let endsUtterance =
            anchors.count > 1 && anchors[anchors.count - 1].length == length + text.scalarCount()
        if endsUtterance { anchors.removeLast() }
        text.append(context.heldPunctuation)
        let endsSentence = context.heldPunctuation.contains { ".!?".contains($0) }
        context.heldPunctuation = ""
        if endsSentence { context.isAboutMarks = false }
        if endsSentence || endsUtterance { addAnchor(after: &text) }
    }

    private mutating func carryOut(_ command: CommandEffect, _ edits: inout [Edit]) {
        switch command {
        case .takeBack:
            edits.append(takeBack().map { .retract(scalars: $0) } ?? .retractEarlier)
        case .session(let command): edits.append(.session(command))
        case .phrase(let phrase): edits.append(.phrase(phrase))
        }
        context.pause = .long
    }

    private mutating func append(_ text: inout Draft, to edits: inout [Edit]) {
        guard !text.isEmpty else { return }
        edits.append(.append(text.text))
        length += text.scalarCount()
        text = Draft()
    }

    private mutating func addAnchor() { addAnchor(at: length) }

    /// - Parameter text: the text after ``length``.
    private mutating func addAnchor(after text: inout Draft) { addAnchor(at: length + text.scalarCount()) }

    private mutating func addAnchor(at end: Int) {
        guard let last = anchors.last, last.length < end else { return }
        anchors.append(Anchor(length: end, context: context))
        // The first anchor is the block's beginning and is kept.
        if anchors.count > Self.keptAnchors { anchors.remove(at: 1) }
    }
}
