// What speaks for a mark and what for the word of the same sound.

extension Lexicon.Mark {
    /// Marks for which the same evidence has the same weight.
    enum Group: Int {
        case sentence, line, pausing, apart, joining, prefix, blank
    }

    var group: Group {
        switch spacing {
        case .sentence: .sentence
        case .lineBreak: .line
        case .attached, .closing, .opening, .apostrophe: .pausing
        case .apart: .apart
        case .between: .joining
        case .prefix, .beforeNumber: .prefix
        case .blank: .blank
        }
    }
}

/// Something in the neighbourhood of a word that may be a mark.
struct MarkFactor {
    var reason: StaticString
    /// By group: sentence, line, pausing, apart, joining, prefix, blank.
    private var weights: SIMD8<Int8>

    init(
        _ reason: StaticString, _ sentence: Int8, _ line: Int8, _ pausing: Int8, _ apart: Int8,
        _ joining: Int8,
        _ prefix: Int8, _ blank: Int8
    ) {
        self.reason = reason
        weights = SIMD8(sentence, line, pausing, apart, joining, prefix, blank, 0)
    }

    func weight(_ group: Lexicon.Mark.Group) -> Int { Int(weights[group.rawValue]) }

    // What goes before.
    static let afterDeterminer = MarkFactor(
        "a noun must follow", -22, -27, -21, -22, -23, -22, -22)
    static let afterAdjective = MarkFactor(
        "a noun phrase is open", -24, -20, -23, -22, -13, -14, -12)
    static let afterPerhapsAdjective = MarkFactor(
        "a noun phrase may be open", -17, -9, -9, -13, -13, -11, -10)
    static let afterBareAdjective = MarkFactor(
        "a noun may follow the adjective", -8, -17, 1, -3, -7, -5, -5)
    static let afterNoun = MarkFactor(
        "a noun phrase may go on", -6, -5, -4, -18, -4, -5, -8)
    static let afterOne = MarkFactor(
        "one is counted", -20, -10, -13, -20, -10, -10, -10)
    static let counted = MarkFactor(
        "a number of things", -12, -12, -30, -12, -12, -12, -12)
    static let afterLeading = MarkFactor(
        "the word before must go on", -10, -16, -14, -8, -7, -3, -7)
    static let afterConjunction = MarkFactor(
        "a conjunction must go on", -14, -10, -2, -11, -1, -7, -7)
    static let afterNaming = MarkFactor(
        "the word before is about marks", 5, -5, -4, -9, -7, -7, -5)
    static let aboutMarks = MarkFactor(
        "the sentence is about marks", 3, -3, -6, -4, -7, -7, -7)
    static let afterCompound = MarkFactor(
        "both words are often a compound", -19, -5, 8, 0, 2, 0, 0)
    static let afterNominative = MarkFactor(
        "a verb must follow", -2, -7, -1, -5, -2, 0, -5)
    static let afterAuxiliary = MarkFactor(
        "after an auxiliary", -6, -7, -3, -2, -18, 0, -5)
    static let afterVerb = MarkFactor(
        "the verb may have an object", 2, -13, 0, 2, 0, 4, -13)
    static let atBeginning = MarkFactor(
        "nothing goes before", -7, -11, -15, -11, -16, 4, 2)
    static let withoutVerb = MarkFactor(
        "the clause has no verb", 1, 0, 5, -4, 3, 0, -3)
    static let afterPhrase = MarkFactor(
        "the clause only has a preposition", -11, -3, 8, 4, -1, 0, 0)
    static let afterPhraseAlone = MarkFactor(
        "only a preposition and a noun", 1, 0, 4, -3, 0, 0, 0)

    // What follows.
    static let beforeEnd = MarkFactor(
        "nothing follows", 9, 4, 2, 4, -4, -5, 5)
    static let beforeOpener = MarkFactor(
        "a clause begins", 7, 10, 7, 2, -3, -2, 4)
    static let beforeDeterminer = MarkFactor(
        "a noun phrase begins", 5, 7, 7, 6, -12, -10, 2)
    static let beforeConjunction = MarkFactor(
        "a conjunction follows", -3, 0, 3, -9, -1, -5, 0)
    static let beforeAuxiliary = MarkFactor(
        "an auxiliary follows", -10, -8, -3, -3, -8, -11, -7)
    static let beforeVerb = MarkFactor(
        "a verb follows", -5, -7, 1, -2, -6, -7, -5)
    /// Where no noun phrase is open, what follows a mark may be anything.
    static let beforePredicate = MarkFactor(
        "a predicate follows", -6, -3, 2, -11, -6, -7, -2)
    static let beforeLoosePreposition = MarkFactor(
        "a preposition follows the clause", 0, -2, -4, 3, 4, -12, -5)
    static let betweenAlternatives = MarkFactor(
        "alternatives on both sides", 14, 14, 14, 14, 23, 14, 14)
    static let beforeNaming = MarkFactor(
        "the word after is about marks", 0, -8, -20, -11, -10, -10, -10)
    static let beforeMark = MarkFactor(
        "another mark follows", 7, 13, 10, 9, 0, 0, 2)
    static let beforePreposition = MarkFactor(
        "a preposition follows", -4, -5, -1, -7, -1, -7, -5)
    static let beforeOf = MarkFactor(
        "\"of\" follows", -16, -12, 0, -13, -7, -10, -7)
    static let beforeAdverb = MarkFactor(
        "an adverb follows", 3, 0, 1, 5, -7, -7, -6)
    static let beforePlainVerb = MarkFactor(
        "a request may begin", 7, 5, 7, -1, 0, 0, 0)
    static let beforeNumber = MarkFactor(
        "a number follows", -1, 2, 5, 13, 0, 7, 2)
    static let beforeCount = MarkFactor(
        "the word stands before numbers", -16, -7, -7, -7, -7, -7, -7)
    static let beforeContent = MarkFactor(
        "another word follows", -2, 2, 3, 1, 13, 6, 5)

    // The habits of the words on both sides, in steps.
    static let habitBefore = MarkFactor(
        "the habit of the word before", 2, 2, 3, 2, 1, 0, 1)
    static let habitAfter = MarkFactor(
        "the habit of the word after", 2, -1, 0, 1, 0, 1, 1)

    // How it was said.
    static let afterPause = MarkFactor(
        "after a pause", 20, 5, 18, 15, 2, 2, 5)
    static let heard = MarkFactor(
        "the engine heard a mark", 5, 5, 5, 5, 5, 5, 5)
    static let afterPunctuation = MarkFactor(
        "the engine wrote a mark before it", 7, 7, 7, 7, 7, 0, 7)
    static let withoutPunctuation = MarkFactor(
        "the engine wrote no mark around it", -9, -7, -8, -5, 0, 0, -5)
    static let withoutPunctuationInPhrase = MarkFactor(
        "the engine wrote no mark after the noun", -16, -10, -12, -10, -2, -5, -7)
    static let beforeCapital = MarkFactor(
        "the engine began a sentence after it", 10, 10, 0, 0, 0, 0, 0)
    static let usual = MarkFactor(
        "a spoken mark", 7, 0, 5, 9, -4, 8, 5)
    static let unmistakable = MarkFactor(
        "seldom a word", 8, 14, 18, 7, 7, 6, 7)
}

extension Evidence {
    mutating func add(_ factor: MarkFactor, _ group: Lexicon.Mark.Group, times: Int = 1) {
        add(factor.weight(group) * times, factor.reason)
    }
}
