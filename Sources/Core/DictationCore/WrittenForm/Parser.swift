/// Finds the first unit of some words, by the rules in their order.
///
/// A rule reads the words one by one. If it asks for a word that has not been recognised yet, nothing is decided, and
/// the unit's words are held until that word comes.
struct Parser {
    let lexicon: Lexicon
    let context: Context
    let words: ArraySlice<SpokenWord>
    /// No word follows: a pause or the end of the block.
    private let isClosed: Bool
    /// Whether the rule reads across a short pause.
    private var crossesPauses = false
    /// A rule asked for a word that has not been recognised yet.
    private(set) var ranOut = false
    /// Why the words were read as they were; nil if nobody asked.
    private(set) var explanations: [Explanation]?

    init(
        _ lexicon: Lexicon, _ words: ArraySlice<SpokenWord>, isClosed: Bool, _ context: Context,
        explains: Bool = false
    ) {
        explanations = explains ? [] : nil
        self.lexicon = lexicon
        self.words = words
        self.isClosed = isClosed
        self.context = context
    }

    /// A rule and the words that it may begin with.
    private struct Rule: Sendable {
        var name: StaticString
        var start: Roles
        /// Whether a short pause may be within the unit.
        var crossesPauses: Bool
        var read: @Sendable (inout Parser) -> Unit?

        init(
            _ name: StaticString, _ start: Roles, crossesPauses: Bool = false,
            _ read: @escaping @Sendable (inout Parser) -> Unit?
        ) {
            self.name = name
            self.start = start
            self.crossesPauses = crossesPauses
            self.read = read
        }
    }

    static let number = Roles(.digit, .teen, .tens, .hundreds, .compound, .bare)

    private static let rules: [Rule] = [
        Rule("literal words", Roles(.literal)) { $0.literal() },
        Rule("the user's phrase", .beginsUserPhrase) { $0.userPhrase() },
        Rule("the program's phrase", .beginsClientPhrase) { $0.clientPhrase() },
        Rule("command", .beginsCommand, crossesPauses: true) { $0.command() },
        Rule("control", .beginsControl, crossesPauses: true) { $0.control() },
        Rule("idiom", .beginsIdiom) { $0.idiom() },
        Rule("option", Roles(.dash)) { $0.option() },
        Rule("path", Roles(.slash, .tilde).union(.beginsSlash)) { $0.filePath() },
        Rule("address", Roles(.dot, .at, .scheme, .www, .letter, .host), crossesPauses: true) {
            $0.address()
        },
        Rule("mark", .beginsMark, crossesPauses: true) { $0.mark() },
        Rule("mark", Roles(.slash)) { $0.slashBetweenAlternatives() },
        Rule("date", Roles(.month), crossesPauses: true) { $0.monthAndDay() },
        Rule("date", number.union(Roles(.ordinal)), crossesPauses: true) { $0.dayOfMonth() },
        Rule("time", number.union(Roles(.half, .quarter, .article)), crossesPauses: true) { $0.clockWords() },
        Rule("code", number.union(Roles(.letter))) { $0.code() },
        Rule("letter and number", number.union(Roles(.letter))) { $0.letterAndNumber() },
        Rule("date", Roles(.weekday), crossesPauses: true) { $0.weekdayAndDate() },
        Rule("date", number.union(Roles(.ordinal)), crossesPauses: true) { $0.dayFirstDate() },
        Rule("time", number, crossesPauses: true) { $0.timeWithWord() },
        Rule("number in two parts", number, crossesPauses: true) { $0.pairedNumber() },
        Rule("number", Roles(.numeral, .roman), crossesPauses: true) { $0.forcedNumber() },
        Rule("number with dots", number.union(Roles(.oh)), crossesPauses: true) { $0.dottedNumber() },
        Rule("time", number.union(Roles(.oh)), crossesPauses: true) { $0.clockTime() },
        Rule("digits", number.union(Roles(.oh, .repetition, .plus)), crossesPauses: true) { $0.digitRun() },
        Rule("year", Roles(.teen, .tens), crossesPauses: true) { $0.year() },
        Rule("ordinal", number.union(Roles(.ordinal, .article)), crossesPauses: true) { $0.writtenOrdinal() },
        Rule("number", number.union(Roles(.article, .oh, .minus, .plus, .point)), crossesPauses: true) {
            $0.amount()
        },
        Rule("suffix", Roles(.suffix)) { $0.suffix() },
        Rule("letters", Roles(.letter, .spell)) { $0.letters() },
    ]

    /// The roles of all words with which a rule may begin. Other words are written as they are.
    static let start = rules.reduce(into: Roles()) { $0.formUnion($1.start) }

    /// The first unit; nil if it depends on a word that has not been recognised yet.
    mutating func unit() -> Unit? {
        guard let roles = words.first?.sense.roles else { return nil }
        if context.mayBeginAddress(words[words.startIndex], lexicon) {
            crossesPauses = true
            let unit = introducedAddress()
            if ranOut { return nil }
            if let unit {
                explain(unit.length, "address", [])
                return unit
            }
        }
        for rule in Self.rules where !rule.start.isDisjoint(with: roles) {
            crossesPauses = rule.crossesPauses
            let unit = rule.read(&self)
            if ranOut { return nil }
            guard let unit else { continue }
            if explains, unit.isRewritten { explain(unit.length, "\(rule.name)", []) }
            return unit
        }
        return Unit(1, .words)
    }

    // MARK: Reading words

    /// The word at `index`, counted from the unit's first; nil if there is none, or if a pause, punctuation or the beginning
    /// of a user's phrase separates it from the word before.
    mutating func word(_ index: Int) -> SpokenWord.Sense? {
        let position = words.startIndex + index
        if index > 0, position <= words.endIndex, isSeparated(position) { return nil }
        guard position < words.endIndex else {
            if !isClosed { ranOut = true }
            return nil
        }
        if index > 0, words[position].isEngineMark { return nil }
        if index > 0, words[position].sense.roles.contains(Roles.beginsUserPhrase),
            userPhraseLength(index) != nil
        {
            return nil
        }
        return words[position].sense
    }

    /// Whether a pause or the engine's punctuation ends the unit before `position`.
    private func isSeparated(_ position: Int) -> Bool {
        // Without a copy of the word: this is asked about most words.
        if !words[position - 1].punctuation.isEmpty { return true }
        let pause = words[position - 1].pause
        return pause == .long || pause == .short && !crossesPauses
    }

    /// The classes of the word at `index`, which has been read.
    func classes(_ index: Int) -> WordClasses {
        let position = words.startIndex + index
        return position < words.endIndex ? lexicon.classes(of: words[position]) : []
    }

    func isHeardMark(_ index: Int) -> Bool { words[words.startIndex + index].isHeardMark }

    /// Whether the engine wrote a capital that the word does not always have.
    func hasOwnCapital(_ index: Int) -> Bool {
        let word = words[words.startIndex + index]
        return word.text.first?.isUppercase == true && !word.sense.hasWrittenForm
    }

    var explains: Bool { explanations != nil }

    mutating func explain(_ length: Int, _ reading: String, _ reasons: [String]) {
        guard explains else { return }
        let spoken = words.prefix(length).map(\.text).joined(separator: " ")
        explanations?.append(Explanation(words: spoken, reading: reading, reasons: reasons))
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
        if index > 0, !words[position - 1].punctuation.isEmpty || words[position - 1].pause != .none {
            return true
        }
        if position < words.endIndex { return index > 0 && words[position].isEngineMark }
        if !isClosed { ranOut = true }
        return true
    }

    /// Whether the unit is the first after a pause, or after the end of a sentence by the engine's punctuation.
    var beginsUtterance: Bool {
        context.pause != .none || context.heldPunctuation.contains { ".!?".contains($0) }
    }

    /// Whether there is no word at `index`.
    mutating func isLast(_ index: Int) -> Bool {
        if words.startIndex + index < words.endIndex { return false }
        if words.last.map({ $0.pause != .none }) == true { return true }
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
            if offset > 0, position <= rest.endIndex, isSeparated(position) { return nil }
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
