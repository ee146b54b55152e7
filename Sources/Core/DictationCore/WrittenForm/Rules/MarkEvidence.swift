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
    //                                                                       . \n   ,   –   -  #  tab
    static let afterDeterminer = MarkFactor("a noun must follow", -9, -9, -9, -9, -9, -9, -9)
    static let afterAdjective = MarkFactor("a noun phrase is open", -5, -5, -5, -5, -3, -5, -5)
    static let afterPerhapsAdjective = MarkFactor("a noun phrase may be open", -5, -3, -1, -4, -2, -4, -4)
    static let afterBareAdjective = MarkFactor("a noun may follow the adjective", -3, -3, -1, -2, -1, -2, -2)
    static let afterNoun = MarkFactor("a noun phrase may go on", -1, -2, -1, -2, 0, -2, -2)
    static let afterOne = MarkFactor("one is counted", -4, -4, -4, -4, -4, -4, -4)
    static let counted = MarkFactor("a number of things", -5, -5, -5, -5, -5, -5, -5)
    static let afterLeading = MarkFactor("the word before must go on", -5, -4, -3, -2, -1, 0, -3)
    static let afterConjunction = MarkFactor("a conjunction must go on", -5, -4, -1, -4, -4, -3, -3)
    static let afterNaming = MarkFactor("the word before is about marks", 0, -2, -3, -3, -3, -3, -2)
    static let aboutMarks = MarkFactor("the sentence is about marks", -1, -1, -1, -3, -3, -3, -3)
    static let afterCompound = MarkFactor("both words are often a compound", -4, -2, 0, 0, 0, 0, 0)
    static let afterNominative = MarkFactor("a verb must follow", -4, -3, -2, -2, -1, 0, -2)
    static let afterAuxiliary = MarkFactor("after an auxiliary", -3, -3, -2, -2, -3, 0, -2)
    static let afterVerb = MarkFactor("the verb may have an object", 0, -1, 0, 0, 0, 0, -3)
    static let atBeginning = MarkFactor("nothing goes before", -2, -1, -2, -1, -3, 0, 0)
    static let withoutVerb = MarkFactor("the clause has no verb", 0, 0, 0, 0, 0, 0, 0)
    static let afterPhrase = MarkFactor("the clause only has a preposition", -5, -1, 0, 0, 0, 0, 0)
    static let afterPhraseAlone = MarkFactor("only a preposition and a noun", -2, 0, 0, 0, 0, 0, 0)

    // What follows.
    static let beforeEnd = MarkFactor("nothing follows", 3, 2, 1, 1, -1, -2, 1)
    static let beforeOpener = MarkFactor("a clause begins", 4, 4, 3, 2, -1, 0, 1)
    static let beforeDeterminer = MarkFactor("a noun phrase begins", 3, 3, 2, 1, -4, -4, 1)
    static let beforeConjunction = MarkFactor("a conjunction follows", 0, 1, 2, 2, 0, -2, 0)
    static let beforeAuxiliary = MarkFactor("an auxiliary follows", -4, -3, -3, -3, -3, -4, -3)
    static let beforeVerb = MarkFactor("a verb follows", -4, -3, -2, -2, -1, -3, -2)
    /// Where no noun phrase is open, what follows a mark may be anything.
    static let beforePredicate = MarkFactor("a verb follows", -1, -1, 0, -3, -1, -3, -1)
    static let beforeLoosePreposition = MarkFactor("a preposition follows", -1, -1, 0, 0, 0, -3, -1)
    static let betweenAlternatives = MarkFactor("alternatives on both sides", 6, 6, 6, 6, 6, 6, 6)
    static let beforeNaming = MarkFactor("the word after is about marks", -2, -3, -4, -4, -4, -4, -4)
    static let beforeMark = MarkFactor("another mark follows", 3, 2, 3, 2, 0, 0, 1)
    static let beforePreposition = MarkFactor("a preposition follows", -3, -2, 0, 0, 0, -3, -1)
    static let beforeOf = MarkFactor("\"of\" follows", -5, -4, -1, -5, -3, -4, -3)
    static let beforeAdverb = MarkFactor("an adverb follows", 0, 0, 0, 0, -3, -3, -2)
    static let beforePlainVerb = MarkFactor("a request may begin", 2, 2, 2, 1, 0, 0, 0)
    static let beforeNumber = MarkFactor("a number follows", 0, 1, 1, 1, 0, 2, 1)
    static let beforeCount = MarkFactor("the word stands before numbers", -3, -3, -3, -3, -3, -3, -3)
    static let beforeContent = MarkFactor("another word follows", 0, 0, 0, 0, 1, 1, 1)

    // How it was said.
    static let afterPause = MarkFactor("after a pause", 2, 2, 2, 2, 1, 1, 2)
    static let heard = MarkFactor("the engine heard a mark", 2, 2, 2, 2, 2, 2, 2)
    static let afterPunctuation = MarkFactor("the engine wrote a mark before it", 3, 3, 3, 3, 3, 0, 3)
    static let withoutPunctuation = MarkFactor("the engine wrote no mark around it", -2, -3, -2, -2, 0, 0, -2)
    static let withoutPunctuationInPhrase = MarkFactor(
        "the engine wrote no mark after the noun", -4, -4, -3, -4, -1, -2, -3)
    static let beforeCapital = MarkFactor("the engine began a sentence after it", 4, 4, 0, 0, 0, 0, 0)
    static let rare = MarkFactor("a rare mark", -1, -1, -1, -1, -1, -1, -1)
    static let usual = MarkFactor("a spoken mark", 2, 2, 2, 2, 2, 2, 2)
    static let unmistakable = MarkFactor("seldom a word", 2, 3, 3, 3, 3, 3, 3)
}

extension Evidence {
    mutating func add(_ factor: MarkFactor, _ group: Lexicon.Mark.Group) {
        add(factor.weight(group), factor.reason)
    }
}
