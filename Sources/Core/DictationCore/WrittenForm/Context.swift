/// The text before the next word. It decides the next word's space and capital, and whether the word can be a mark.
struct Context: Hashable, Sendable {
    /// The space between the text so far and the next word.
    enum Gap: Hashable, Sendable {
        case none, space
        /// No space before a suffix ("dog's") or a number ("$5"); a space before everything else.
        case spaceUnlessSuffix, spaceUnlessNumber
    }

    enum LetterCase: Hashable, Sendable { case capital, capitals, lower }

    var gap = Gap.none
    /// The next word begins a sentence or a line.
    var beginsSentence: Bool
    /// The first word has a capital only because the text begins with it; nil before the first word.
    var hasInitialCapital: Bool?
    var nextCase: LetterCase?
    var lock: LetterCase?
    /// The last word has a capital because somebody said so.
    var isCapitalised = false
    var isWithoutSpaces = false
    /// The last words; empty after a mark.
    var last = SpokenWord.Sense()
    var lastButOne = SpokenWord.Sense()
    /// Empty after a mark.
    var lastText = ""
    /// The words since the last mark.
    var clause = Clause()
    /// The text ends with a word that an address may continue.
    var endsWithWord = false
    /// The last word ends like a plural.
    var endsWithPlural = false
    /// The text ends with a symbol that belongs to a number after it: "#".
    var endsWithSymbol = false
    var openQuotes = 0
    /// The sentence began with a word such as "run".
    var isCommandLine = false
    /// The sentence is about marks: one was read as a word.
    var isAboutMarks = false
    /// The silence after the last word. Long at the beginning.
    var pause = Pause.long
    /// Whether the engine writes capitals and marks itself.
    var isPunctuated: Bool
    /// The engine's punctuation after the last word, which a spoken mark may replace.
    var heldPunctuation = ""

    /// - Parameter punctuated: the engine writes capitals and marks itself.
    init(punctuated: Bool) {
        beginsSentence = !punctuated
        isPunctuated = punctuated
    }

    /// The words that follow are from another engine, which does or does not write capitals and marks itself.
    mutating func engineChanged(punctuates: Bool, isAtStart: Bool) {
        isPunctuated = punctuates
        if punctuates {
            if isAtStart { beginsSentence = false }
        } else if isAtStart || heldPunctuation.contains(where: { ".!?".contains($0) }) {
            beginsSentence = true
        }
    }

    /// Whether an address may begin with `word`, because of the word before: "write to".
    func mayBeginAddress(_ word: SpokenWord, _ lexicon: Lexicon) -> Bool {
        guard last.roles.contains(.introducesAddress), heldPunctuation.isEmpty else { return false }
        let classes = word.sense.classes
        if word.sense.roles.contains(.mailbox) { return true }
        if word.sense.roles.contains(.letter) { return !word.sense.roles.contains(.function) }
        return classes.isDisjoint(with: .function) || classes.contains(.determiner)
    }

    mutating func remember(_ word: SpokenWord) {
        if clause.words == 0 { isCommandLine = word.sense.roles.contains(.runs) }
        lastButOne = last
        last = word.sense
        lastText = word.text
        endsWithPlural = word.text.utf8.last == UInt8(ascii: "s")
    }

    mutating func forgetWords() {
        last = SpokenWord.Sense()
        lastButOne = SpokenWord.Sense()
        lastText = ""
        clause = Clause()
    }

    // MARK: Writing

    mutating func writeWord(_ word: String, isSuffix: Bool = false, into text: inout Draft) {
        writeGap(into: &text, isSuffix: isSuffix)
        appendCased(word, to: &text)
    }

    /// Writes text whose case does not change.
    mutating func writeFixed(_ fixed: String, isNumber: Bool, into text: inout Draft) {
        writeGap(into: &text, isNumber: isNumber)
        text.append(fixed)
        hasInitialCapital = hasInitialCapital ?? false
        beginsSentence = false
        nextCase = nil
    }

    mutating func write(_ mark: Lexicon.Mark, into text: inout Draft) {
        if mark.spacing == .sentence || mark.spacing == .lineBreak { isAboutMarks = false }
        hasInitialCapital = hasInitialCapital ?? false
        switch mark.spacing {
        case .apart, .prefix, .beforeNumber, .opening: writeGap(into: &text)
        case .attached, .closing, .sentence, .between, .apostrophe, .lineBreak, .blank: break
        }
        text.append(mark.written)
        switch mark.spacing {
        case .attached, .closing, .sentence: gap = .space
        case .between, .prefix, .opening, .lineBreak, .blank: gap = .none
        case .beforeNumber: gap = .spaceUnlessNumber
        case .apostrophe: gap = .spaceUnlessSuffix
        case .apart: break
        }
        switch mark.spacing {
        case .sentence, .lineBreak: beginsSentence = true
        case .prefix: beginsSentence = false
        case .opening: openQuotes += 1
        case .closing: openQuotes = max(0, openQuotes - 1)
        case .attached, .between, .apart, .beforeNumber, .apostrophe, .blank: break
        }
        if isWithoutSpaces, gap == .space { gap = .none }
    }

    mutating func apply(_ control: LanguageTable.Control) {
        switch control {
        case .capital: nextCase = .capital
        case .capitals: nextCase = .capitals
        case .lower: nextCase = .lower
        case .capitalOn: lock = .capital
        case .capitalsOn: lock = .capitals
        case .lowerOn: lock = .lower
        case .capitalOff, .capitalsOff, .lowerOff: lock = nil
        case .noSpace: gap = .none
        case .noSpaceOn:
            // The space before the first of the words is still written.
            isWithoutSpaces = true
        case .noSpaceOff:
            isWithoutSpaces = false
            if gap == .none { gap = .space }
        }
    }

    private mutating func writeGap(
        into text: inout Draft, isSuffix: Bool = false, isNumber: Bool = false
    ) {
        switch gap {
        case .none: break
        case .space: text.append(" ")
        case .spaceUnlessSuffix: if !isSuffix { text.append(" ") }
        case .spaceUnlessNumber: if !isNumber { text.append(" ") }
        }
        gap = isWithoutSpaces ? .none : .space
    }

    private mutating func appendCased(_ word: String, to text: inout Draft) {
        if hasInitialCapital == nil {
            let isRule = beginsSentence && nextCase == nil && lock == nil
            hasInitialCapital = isRule && word.first?.isLowercase == true
        }
        isCapitalised = nextCase == .capital
        switch nextCase ?? lock {
        case nil: if beginsSentence { appendCapitalised(word, to: &text) } else { text.append(word) }
        case .capital: appendCapitalised(word, to: &text)
        case .capitals: text.append(word.uppercased())
        case .lower: text.append(word.lowercased())
        }
        beginsSentence = false
        nextCase = nil
    }

    private func appendCapitalised(_ word: String, to text: inout Draft) {
        guard let first = word.first, first.isLowercase else {
            text.append(word)
            return
        }
        text.append(first.uppercased())
        text.append(word.dropFirst())
    }
}
