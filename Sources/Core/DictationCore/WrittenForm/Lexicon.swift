/// A language's table and a user's phrases, indexed by word. Immutable and shared, so equality is identity.
public final class Lexicon: Sendable {
    struct Mark: Sendable {
        var written: String
        var spacing: LanguageTable.Spacing
        var evidence = 0
        var needsOpening = false
        var needsSpeech = false
        var needsBreak = false
        var countsBefore = false
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
    private let markPhrases: Set<String>
    /// Phrases of several words with which a clause begins: "of course".
    let openers: PhraseTree<Bool>
    private let endings: WordEndings
    let habits: MarkHabits
    /// "to" before a verb.
    let infinitive: WordNumber?
    let controls: PhraseTree<LanguageTable.Control>
    let commands: PhraseTree<LanguageTable.Command>
    let clientPhrases: PhraseTree<String>
    let userPhrases: PhraseTree<String>
    let measures: PhraseTree<Measure>
    let currencies: [Currency]
    let operators: PhraseTree<String>
    let signs: PhraseTree<String>
    let idioms: PhraseTree<String>
    let pairsNumbers: Bool
    let teensAfter: [Int]
    let compounds: CompoundNumbers?
    /// Whether the word before decimals is also a mark.
    let pointIsMark: Bool
    /// How numbers, dates and times are written.
    let forms: Forms

    struct Forms: Sendable {
        var percentSign: String
        var unitSpace: String
        var currencyFollows: Bool
        var telephoneSeparator: String
        var date: String?
        var dayOfDate: String
        var firstDay: String?
        var timeOfDay: String?
        var fullHour: String?
    }
    let halvesOfDay: PhraseTree<String>
    let clock: PhraseTree<String>
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
        for (wordClass, words) in table.grammar {
            for word in words { builder.add(wordClass, to: word) }
        }
        marks = builder.marks(table.marks.flatMap(\.marks))
        markPhrases = Set(table.marks.flatMap(\.marks).flatMap(\.spoken).map { $0.lowercased() })
        openers = builder.phrases(table.openers.map { ($0, true) })
        endings = WordEndings(table.endings)
        habits = table.habits
        infinitive = table.roles[.to]?.first.map { builder.number(of: $0) }
        controls = builder.spoken(table.controls, beginning: .beginsControl)
        self.commands = builder.spoken(commands ? table.commands : [], beginning: .beginsCommand)
        self.clientPhrases = builder.phrases(clientPhrases.map { ($0, $0) }, beginning: .beginsClientPhrase)
        userPhrases = builder.userPhrases(phrases)
        (measures, currencies) = builder.measures(table, region: region)
        signs = builder.phrases(table.signs.map { ($0.key, $0.value) })
        idioms = builder.phrases(table.idioms.map { ($0.key, $0.value) }, beginning: .beginsIdiom)
        pairsNumbers = table.pairsNumbers
        teensAfter = table.teensAfter
        compounds = CompoundNumbers(table)
        let marked = Set(table.marks.flatMap(\.marks).flatMap(\.spoken))
        pointIsMark = (table.roles[.point] ?? []).contains { marked.contains($0) }
        forms = Forms(
            percentSign: table.percentSign, unitSpace: table.unitSpace,
            currencyFollows: table.currencyFollows,
            telephoneSeparator: table.telephoneSeparator, date: table.date, dayOfDate: table.dayOfDate,
            firstDay: table.firstDay, timeOfDay: table.timeOfDay, fullHour: table.fullHour)
        operators = builder.phrases(table.operators.map { ($0.key, $0.value) })
        clock = builder.phrases(table.clock.map { ($0.key, $0.value) })
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

    /// The table's entry for a lower-case word, or its value if it is a compound number.
    func sense(of word: String) -> SpokenWord.Sense? {
        if let sense = senses[word] { return sense }
        guard let compounds, let number = compounds.value(of: word) else { return nil }
        return SpokenWord.Sense(roles: Roles(number.isOrdinal ? .ordinal : .compound), value: number.value)
    }

    /// The table's entry for a lower-case word, by its bytes.
    func sense(of word: PackedWord) -> SpokenWord.Sense? { senses[word] }

    /// Whether ``sense(of:)`` of an unknown word may find more by its letters.
    var hasCompounds: Bool { compounds != nil }

    func written(_ word: SpokenWord) -> String {
        word.sense.hasWrittenForm ? writtenForms[word.sense.number] ?? word.text : word.text
    }

    /// The spoken phrases of marks, sorted.
    public var spokenMarks: [String] { markPhrases.sorted() }

    func isMark(_ phrase: String) -> Bool { markPhrases.contains(phrase) }

    /// The classes of a word; by its ending if it is not in the table.
    func classes(of word: SpokenWord) -> WordClasses {
        if !word.sense.classes.isEmpty { return word.sense.classes }
        return endings.classes(of: word.text)
    }

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

    mutating func add(_ wordClass: WordClass, to word: String) {
        edit(word) { $0.classes.insert(WordClasses(wordClass)) }
    }

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
                written: mark.written, spacing: mark.spacing, evidence: mark.evidence,
                needsOpening: mark.needsOpening, needsSpeech: mark.needsSpeech,
                needsBreak: mark.needsBreak, countsBefore: mark.countsBefore)
            for phrase in mark.spoken {
                insert(
                    phrase, compiled, into: &tree,
                    beginning: mark.written == "/" ? [.beginsMark, .beginsSlash] : .beginsMark)
            }
        }
        return tree
    }

    mutating func spoken<Meaning>(
        _ list: [LanguageTable.Spoken<Meaning>], beginning: Roles
    ) -> PhraseTree<Meaning> {
        phrases(list.flatMap { item in item.spoken.map { ($0, item.meaning) } }, beginning: beginning)
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

    mutating func number(of word: String) -> WordNumber {
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
