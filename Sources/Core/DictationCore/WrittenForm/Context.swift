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
    var isWithoutSpaces = false
    /// The last words; empty after a mark.
    var last = SpokenWord.Sense()
    var lastButOne = SpokenWord.Sense()
    /// Words since the last mark; counted up to two.
    var wordsSinceMark = 0
    /// The text ends with a word that an address may continue.
    var endsWithWord = false
    /// The text ends with a symbol that belongs to a number after it: "#".
    var endsWithSymbol = false
    var openQuotes = 0
    /// Nothing was said since the last pause.
    var beginsUtterance = true
    /// The engine's punctuation after the last word, which a spoken mark may replace.
    var heldPunctuation = ""

    /// - Parameter punctuated: the engine writes capitals and marks itself.
    init(punctuated: Bool) { beginsSentence = !punctuated }

    /// The words that follow are from another engine, which does or does not write capitals and marks itself.
    mutating func engineChanged(punctuates: Bool, isAtStart: Bool) {
        if punctuates {
            if isAtStart { beginsSentence = false }
        } else if isAtStart || heldPunctuation.contains(where: { ".!?".contains($0) }) {
            beginsSentence = true
        }
    }

    mutating func remember(_ word: SpokenWord) {
        lastButOne = last
        last = word.sense
        wordsSinceMark = min(2, wordsSinceMark + 1)
    }

    mutating func forgetWords() {
        last = SpokenWord.Sense()
        lastButOne = SpokenWord.Sense()
        wordsSinceMark = 0
    }

    // MARK: Writing

    mutating func writeWord(_ word: String, isSuffix: Bool = false, into text: inout String) {
        writeGap(into: &text, isSuffix: isSuffix)
        appendCased(word, to: &text)
    }

    /// Writes text whose case does not change.
    mutating func writeFixed(_ fixed: String, isNumber: Bool, into text: inout String) {
        writeGap(into: &text, isNumber: isNumber)
        text += fixed
        hasInitialCapital = hasInitialCapital ?? false
        beginsSentence = false
        nextCase = nil
    }

    mutating func write(_ mark: Lexicon.Mark, into text: inout String) {
        hasInitialCapital = hasInitialCapital ?? false
        switch mark.spacing {
        case .apart, .prefix, .beforeNumber, .opening: writeGap(into: &text)
        case .attached, .closing, .sentence, .between, .apostrophe, .lineBreak, .blank: break
        }
        text += mark.written
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
        into text: inout String, isSuffix: Bool = false, isNumber: Bool = false
    ) {
        switch gap {
        case .none: break
        case .space: text += " "
        case .spaceUnlessSuffix: if !isSuffix { text += " " }
        case .spaceUnlessNumber: if !isNumber { text += " " }
        }
        gap = isWithoutSpaces ? .none : .space
    }

    private mutating func appendCased(_ word: String, to text: inout String) {
        if hasInitialCapital == nil {
            let isRule = beginsSentence && nextCase == nil && lock == nil
            hasInitialCapital = isRule && word.first?.isLowercase == true
        }
        switch nextCase ?? lock {
        case nil: if beginsSentence { appendCapitalised(word, to: &text) } else { text += word }
        case .capital: appendCapitalised(word, to: &text)
        case .capitals: text += word.uppercased()
        case .lower: text += word.lowercased()
        }
        beginsSentence = false
        nextCase = nil
    }

    private func appendCapitalised(_ word: String, to text: inout String) {
        guard let first = word.first, first.isLowercase else {
            text += word
            return
        }
        text += first.uppercased()
        text += word.dropFirst()
    }
}
