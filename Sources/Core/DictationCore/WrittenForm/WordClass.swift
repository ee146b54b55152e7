/// The part of speech of a word, as far as short lists and endings show it. A language's table lists words of each class
/// under `grammar`, and endings of longer words under `endings`.
public enum WordClass: UInt8, CaseIterable, Sendable {
    /// A noun follows: the, my, every.
    case determiner
    /// A determiner or a pronoun: this, his.
    case demonstrative
    /// Another word must follow: of, and, very.
    case leading
    case preposition
    /// A pronoun that only a verb follows: they.
    case nominative
    case auxiliary
    /// A finite form: said, went.
    case verb
    /// A form that can begin a request: send, bring.
    case plainVerb
    /// A verb after which a noun and another verb follow: let, make.
    case causative
    /// Before a noun: new, big.
    case adjective
    /// Perhaps an adjective, by its ending: postal, waiting.
    case adjectival
    /// A noun with the ending of another class: morning.
    case noun
    /// Begins a clause: we, please, what.
    case opener
    case conjunction
    case adverb
    /// A word that ends a noun phrase: it, something.
    case pronoun
    case of
    /// People talk about marks with it: character, separated.
    case naming
    /// Often stands before "period" and other words that are also marks: time, trial.
    case compound
    /// Direct speech may follow: said, wrote.
    case speech
    /// A noun that is not counted follows: more, much.
    case quantity
}

struct WordClasses: OptionSet, Hashable, Sendable {
    var rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ classes: WordClass...) { rawValue = classes.reduce(0) { $0 | 1 << UInt32($1.rawValue) } }

    /// Words of these classes are no nouns.
    static let function = WordClasses(
        .determiner, .demonstrative, .leading, .preposition, .nominative, .auxiliary, .verb, .plainVerb,
        .adjective,
        .opener, .conjunction, .adverb, .pronoun, .of)

    func contains(_ one: WordClass) -> Bool { rawValue & (1 << UInt32(one.rawValue)) != 0 }
}
