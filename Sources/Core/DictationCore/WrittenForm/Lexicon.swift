/// A language's table and a user's phrases, indexed by word. Immutable and shared, so equality is identity.
public final class Lexicon: Sendable {
    struct Mark: Sendable {
        var written: String
        var spacing: LanguageTable.Spacing
        var notAfter: Set<WordNumber>
        var notBefore: Set<WordNumber>
        var exceptBefore: PhraseTree<Bool>
        var needsOpening: Bool
    }

    struct Guarded<Meaning: Sendable>: Sendable {
        var meaning: Meaning
        var notAfter: Set<WordNumber>
        var notBefore: Set<WordNumber>
    }

    /// A word after a number that makes the number a measure.
    enum Measure: Sendable {
        case percent
        case unit(String)
        case currency(Int)
    }

    struct Currency: Sendable {
        var sign: String
        var cents: Set<WordNumber>
        /// Whether the word alone means money in this region.
        var isCertain: Bool
    }

    private let senses: WordTable
    /// Written forms that differ from the spoken word.
    private let writtenForms: [WordNumber: String]
    let marks: PhraseTree<Mark>
    /// The marks by their spoken phrases.
    let certainMarks: [String: Mark]
    let controls: PhraseTree<Guarded<LanguageTable.Control>>
    let commands: PhraseTree<Guarded<LanguageTable.Command>>
    let clientPhrases: PhraseTree<String>
    let userPhrases: PhraseTree<String>
    let measures: PhraseTree<Measure>
    let currencies: [Currency]
    let operators: PhraseTree<String>
    let halvesOfDay: PhraseTree<String>
    let acronyms: Set<String>
    let ordinalSuffixes: [String]
    let decadeSuffix: String
    let telephoneNumbers: [LanguageTable.TelephoneNumber]
    let groupSeparator: String
    let decimalSeparator: String
    /// The written forms of marks that attach to the word before.
    let attachedMarks: Set<String>

    /// - Parameters:
    ///   - region: the region of the BCP 47 tag, such as GB. It decides which words are currencies.
    ///   - phrases: the user's replacements and snippets.
    ///   - clientPhrases: phrases that a client registered. Each becomes a signal instead of text.
    ///   - commands: whether spoken commands are carried out; otherwise they are ordinary words.
    public init(
        _ table: LanguageTable, region: String? = nil, phrases: [UserPhrase] = [],
        clientPhrases: [String] = [], commands: Bool = true
    ) {
        var builder = LexiconBuilder()
        for (role, words) in table.roles {
            for word in words { builder.add(role, to: word) }
        }
        for (role, values) in table.numbers {
            for (word, value) in values { builder.add(role, to: word, value: value) }
        }
        marks = builder.marks(table.marks.flatMap(\.marks))
        certainMarks = builder.certainMarks
        controls = builder.guarded(table.controls, beginning: .beginsControl)
        self.commands = builder.guarded(commands ? table.commands : [], beginning: .beginsCommand)
        self.clientPhrases = builder.phrases(clientPhrases.map { ($0, $0) }, beginning: .beginsClientPhrase)
        userPhrases = builder.userPhrases(phrases)
        (measures, currencies) = builder.measures(table, region: region)
        operators = builder.phrases(table.operators.map { ($0.key, $0.value) })
        halvesOfDay = builder.phrases(table.halvesOfDay.map { ($0.key, $0.value) })
        for name in table.names { builder.write(name) }
        acronyms = Set(table.acronyms)
        ordinalSuffixes = table.ordinalSuffixes
        decadeSuffix = table.decadeSuffix
        telephoneNumbers = table.telephoneNumbers
        groupSeparator = table.groupSeparator
        decimalSeparator = table.decimalSeparator
        attachedMarks = Set(
            table.marks.flatMap(\.marks).filter { [.attached, .sentence].contains($0.spacing) }.map(\.written)
        )
        senses = WordTable(builder.senses)
        writtenForms = builder.writtenForms
    }

    /// The table's entry for a lower-case word.
    func sense(of word: String) -> SpokenWord.Sense? { senses[word] }

    /// The table's entry for a lower-case word, by its bytes.
    func sense(of word: PackedWord) -> SpokenWord.Sense? { senses[word] }

    func written(_ word: SpokenWord) -> String {
        word.sense.hasWrittenForm ? writtenForms[word.sense.number] ?? word.text : word.text
    }

    /// The spoken phrases of marks, sorted.
    public var spokenMarks: [String] { certainMarks.keys.sorted() }

    /// Every word of the table, in lower case and sorted.
    public var vocabulary: [String] { senses.words.sorted() }
}

extension Lexicon: Hashable {
    public static func == (left: Lexicon, right: Lexicon) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Assigns a number to each word of a table and collects the words' entries.
struct LexiconBuilder {
    private(set) var senses: [String: SpokenWord.Sense] = [:]
    private(set) var writtenForms: [WordNumber: String] = [:]
    private(set) var certainMarks: [String: Lexicon.Mark] = [:]

    mutating func add(_ role: Role, to word: String, value: Int? = nil) {
        edit(word) { entry in
            entry.roles.insert(Roles(role))
            if let value { entry.value = value }
        }
    }

    /// Adds the written form of a word: "Monday" for "monday".
    mutating func write(_ name: String) {
        let word = name.lowercased()
        edit(word) { $0.hasWrittenForm = true }
        writtenForms[number(of: word)] = name
    }

    mutating func phrases<Meaning>(_ phrases: [(String, Meaning)], beginning: Roles = []) -> PhraseTree<
        Meaning
    > {
        var tree = PhraseTree<Meaning>()
        for (phrase, meaning) in phrases { insert(phrase, meaning, into: &tree, beginning: beginning) }
        return tree
    }

    mutating func userPhrases(_ phrases: [UserPhrase]) -> PhraseTree<String> {
        self.phrases(phrases.map { ($0.spoken, $0.written) }, beginning: .beginsUserPhrase)
    }

    mutating func marks(_ marks: [LanguageTable.Mark]) -> PhraseTree<Lexicon.Mark> {
        var tree = PhraseTree<Lexicon.Mark>()
        for mark in marks {
            let compiled = Lexicon.Mark(
                written: mark.written, spacing: mark.spacing, notAfter: numbers(of: mark.notAfter),
                notBefore: numbers(of: mark.notBefore),
                exceptBefore: phrases(mark.exceptBefore.map { ($0, true) }), needsOpening: mark.needsOpening)
            for phrase in mark.spoken {
                insert(phrase, compiled, into: &tree, beginning: .beginsMark)
                certainMarks[Self.words(phrase).joined(separator: " ")] = compiled
            }
        }
        return tree
    }

    mutating func guarded<Meaning>(
        _ list: [LanguageTable.Guarded<Meaning>], beginning: Roles
    ) -> PhraseTree<Lexicon.Guarded<Meaning>> {
        var tree = PhraseTree<Lexicon.Guarded<Meaning>>()
        for item in list {
            let compiled = Lexicon.Guarded(
                meaning: item.meaning, notAfter: numbers(of: item.notAfter),
                notBefore: numbers(of: item.notBefore))
            for phrase in item.spoken { insert(phrase, compiled, into: &tree, beginning: beginning) }
        }
        return tree
    }

    mutating func measures(
        _ table: LanguageTable, region: String?
    ) -> (PhraseTree<Lexicon.Measure>, [Lexicon.Currency]) {
        var tree = phrases(table.units.map { ($0.key, Lexicon.Measure.unit($0.value)) })
        for phrase in table.percent { insert(phrase, .percent, into: &tree) }
        var currencies: [Lexicon.Currency] = []
        for currency in table.currencies {
            for phrase in currency.spoken { insert(phrase, .currency(currencies.count), into: &tree) }
            currencies.append(
                Lexicon.Currency(
                    sign: currency.sign, cents: numbers(of: currency.cents),
                    isCertain: currency.regions.isEmpty
                        || region.map(currency.regions.contains) == true))
        }
        return (tree, currencies)
    }

    private mutating func insert<Meaning>(
        _ phrase: String, _ meaning: Meaning, into tree: inout PhraseTree<Meaning>, beginning: Roles = []
    ) {
        let words = Self.words(phrase)
        tree.insert(words.map { number(of: $0) }, meaning)
        if let first = words.first { edit(first) { $0.roles.formUnion(beginning) } }
    }

    private mutating func numbers(of words: [String]) -> Set<WordNumber> {
        Set(words.map { number(of: $0) })
    }

    private mutating func number(of word: String) -> WordNumber {
        var number = WordNumber.none
        edit(word) { number = $0.number }
        return number
    }

    private mutating func edit(_ word: String, _ body: (inout SpokenWord.Sense) -> Void) {
        let new = SpokenWord.Sense(number: WordNumber(rawValue: Int32(senses.count)))
        body(&senses[word, default: new])
    }

    private static func words(_ phrase: String) -> [String] {
        phrase.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
