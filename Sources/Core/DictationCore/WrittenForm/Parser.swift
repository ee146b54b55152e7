/// Finds the first unit of some words, by the rules in their order.
///
/// A rule reads the words one by one. If it asks for a word that has not been recognised yet, nothing is decided, and
/// the unit's words are held until that word comes.
struct Parser {
    let lexicon: Lexicon
    let context: Context
    private let words: ArraySlice<SpokenWord>
    /// No word follows: a pause or the end of the block.
    private let isClosed: Bool
    /// A rule asked for a word that has not been recognised yet.
    private(set) var ranOut = false

    init(_ lexicon: Lexicon, _ words: ArraySlice<SpokenWord>, isClosed: Bool, _ context: Context) {
        self.lexicon = lexicon
        self.words = words
        self.isClosed = isClosed
        self.context = context
    }

    /// A rule and the words that it may begin with.
    private struct Rule: Sendable {
        var start: Roles
        var read: @Sendable (inout Parser) -> Unit?

        init(_ start: Roles, _ read: @escaping @Sendable (inout Parser) -> Unit?) {
            self.start = start
            self.read = read
        }
    }

    private static let number = Roles(.digit, .teen, .tens)

    private static let rules: [Rule] = [
        Rule(Roles(.literal)) { $0.literal() },
        Rule(.beginsUserPhrase) { $0.userPhrase() },
        Rule(.beginsClientPhrase) { $0.clientPhrase() },
        Rule(.beginsCommand) { $0.command() },
        Rule(.beginsControl) { $0.control() },
        Rule(Roles(.dot, .at, .scheme, .www, .letter)) { $0.address() },
        Rule(.beginsMark) { $0.mark() },
        Rule(Roles(.slash)) { $0.slashBetweenAlternatives() },
        Rule(Roles(.month)) { $0.monthAndDay() },
        Rule(number.union(Roles(.ordinal))) { $0.dayOfMonth() },
        Rule(number.union(Roles(.half, .quarter, .article))) { $0.clockWords() },
        Rule(Roles(.numeral, .roman)) { $0.forcedNumber() },
        Rule(number.union(Roles(.oh))) { $0.dottedNumber() },
        Rule(number.union(Roles(.oh))) { $0.clockTime() },
        Rule(number.union(Roles(.oh, .repetition, .plus))) { $0.digitRun() },
        Rule(Roles(.teen, .tens)) { $0.year() },
        Rule(number.union(Roles(.ordinal, .article))) { $0.writtenOrdinal() },
        Rule(number.union(Roles(.article, .oh, .minus, .point))) { $0.amount() },
        Rule(Roles(.letter, .spell)) { $0.letters() },
    ]

    /// The roles of all words with which a rule may begin. Other words are written as they are.
    static let start = rules.reduce(into: Roles()) { $0.formUnion($1.start) }

    /// The first unit; nil if it depends on a word that has not been recognised yet.
    mutating func unit() -> Unit? {
        guard let roles = words.first?.sense.roles else { return nil }
        for rule in Self.rules where !rule.start.isDisjoint(with: roles) {
            let unit = rule.read(&self)
            if ranOut { return nil }
            if let unit { return unit }
        }
        return Unit(1, .words)
    }

    // MARK: Reading words

    /// The word at `index`, counted from the unit's first; nil if there is none, or if a pause, punctuation or the beginning
    /// of a user's phrase separates it from the word before.
    mutating func word(_ index: Int) -> SpokenWord.Sense? {
        let position = words.startIndex + index
        // The engine's punctuation ends the unit.
        if index > 0, position <= words.endIndex, !words[position - 1].punctuation.isEmpty { return nil }
        guard position < words.endIndex else {
            if !isClosed { ranOut = true }
            return nil
        }
        if index > 0, words[position].sense.roles.contains(Roles.beginsUserPhrase),
            userPhraseLength(index) != nil
        {
            return nil
        }
        return words[position].sense
    }

    mutating func has(_ role: Role, _ index: Int) -> Bool {
        word(index)?.roles.contains(role) == true
    }

    /// The value of the word at `index` if it has one of the roles.
    mutating func value(_ role: Role, _ index: Int) -> Int? {
        guard let word = word(index), word.roles.contains(role) else { return nil }
        return word.value
    }

    /// Whether the unit cannot continue at `index`, because of a pause or the engine's punctuation.
    mutating func isEnd(_ index: Int) -> Bool {
        let position = words.startIndex + index
        if index > 0, !words[position - 1].punctuation.isEmpty { return true }
        if position < words.endIndex { return false }
        if !isClosed { ranOut = true }
        return true
    }

    /// Whether the unit is the first after a pause, or after the end of a sentence by the engine's punctuation.
    var beginsUtterance: Bool {
        context.beginsUtterance || context.heldPunctuation.contains { ".!?".contains($0) }
    }

    /// Whether there is no word at `index`.
    mutating func isLast(_ index: Int) -> Bool {
        if words.startIndex + index < words.endIndex { return false }
        if !isClosed { ranOut = true }
        return true
    }

    /// The spoken text of the word at `index`.
    func text(_ index: Int) -> String { words[words.startIndex + index].text }

    mutating func longest<Meaning>(
        _ tree: PhraseTree<Meaning>, _ index: Int
    ) -> (meaning: Meaning, end: Int)? {
        if tree.isEmpty { return nil }
        let found = tree.longest { word(index + $0)?.number }
        return found.map { ($0.meaning, index + $0.length) }
    }

    /// The longest of the user's phrases that begins at `index`, and the index after it.
    mutating func userPhraseLength(_ index: Int) -> (written: String, end: Int)? {
        let rest = words.dropFirst(index)
        var ranOut = false
        let found = lexicon.userPhrases.longest { offset in
            let position = rest.startIndex + offset
            if offset > 0, position <= rest.endIndex, !rest[position - 1].punctuation.isEmpty { return nil }
            guard position < rest.endIndex else {
                ranOut = true
                return nil
            }
            return rest[position].sense.number
        }
        if ranOut, !isClosed { self.ranOut = true }
        return found.map { ($0.meaning, index + $0.length) }
    }
}
