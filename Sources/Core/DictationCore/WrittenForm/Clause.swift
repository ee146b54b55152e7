/// The words since the last mark, as far as they are evidence about the next one.
struct Clause: Hashable, Sendable {
    /// The noun phrase that is open at the end. A mark rarely follows before its noun.
    enum NounPhrase: Hashable, Sendable {
        case none
        /// "the", "this".
        case determiner
        /// "the long".
        case adjective
        /// "the postal", "the library".
        case perhapsAdjective
        /// "the long winter", which another noun may continue.
        case noun
    }

    /// Counted up to ``most``.
    private(set) var words = 0
    private(set) var hasVerb = false
    private(set) var hasCausative = false
    private(set) var beginsWithPreposition = false
    private(set) var phrase = NounPhrase.none
    /// The classes of the last two words.
    private(set) var last = WordClasses()
    private(set) var lastButOne = WordClasses()

    static let most = 100

    mutating func add(_ classes: WordClasses) {
        if words == 0, classes.contains(.preposition) { beginsWithPreposition = true }
        words = min(Self.most, words + 1)
        if classes.contains(.causative) { hasCausative = true }
        lastButOne = last
        last = classes
        let isAttribute = phrase == .determiner || phrase == .adjective || phrase == .perhapsAdjective
        if classes.contains(.determiner) || classes.contains(.demonstrative) {
            phrase = .determiner
        } else if isAttribute, classes.contains(.adjective) {
            phrase = .adjective
        } else if isAttribute, !classes.isDisjoint(with: WordClasses(.adjectival, .verb)) {
            phrase = .perhapsAdjective
        } else if !classes.isDisjoint(with: Self.closing) || classes.contains(.plainVerb) && !isAttribute {
            phrase = .none
        } else if phrase != .none {
            phrase = .noun
        }
        if classes.contains(.auxiliary) || classes.contains(.verb) && !isAttribute
            || classes.contains(.plainVerb) && !isAttribute
        {
            hasVerb = true
        }
        // "she closed": a verb that is also an adjective.
        if classes.contains(.adjective), lastButOne.contains(.nominative), !lastButOne.contains(.auxiliary) {
            hasVerb = true
        }
    }

    /// A number that was written in digits.
    mutating func addNumber() {
        words = min(Self.most, words + 1)
        lastButOne = last
        last = WordClasses()
        phrase = phrase == .none || phrase == .noun ? .none : .adjective
    }

    /// Words of these classes do not belong to a noun phrase.
    private static let closing = WordClasses(
        .leading, .preposition, .nominative, .auxiliary, .verb, .opener, .conjunction, .adverb, .pronoun, .of)
}
