/// The rules of a JSGF grammar, parsed.
struct GrammarRules: Sendable {
    indirect enum Expansion: Sendable {
        case word(String, GrammarPosition)
        case rule(String, GrammarPosition)
        case sequence([Expansion])
        /// With weights that sum to 1; nil if none are given.
        case alternatives([(weight: Double?, Expansion)])
        case optional(Expansion)
        /// Repetition: at least once, or any number of times.
        case repeated(Expansion, atLeastOnce: Bool)
    }

    struct Rule: Sendable {
        var expansion: Expansion
        var position: GrammarPosition
    }

    /// Maximum length in bytes; enough for any grammar of commands.
    static let longest = 64 * 1024
    /// Maximum depth of brackets.
    static let deepest = 32

    private(set) var rules: [String: Rule] = [:]
    /// The first public rule.
    private(set) var publicRule = ""

    /// Linear in the size of the text. Imports are refused, because they name files.
    init(_ text: String) throws(RecognitionError) {
        var parser = try GrammarParser(text)
        try parser.readHeader()
        while let (name, rule, isPublic) = try parser.readRule() {
            guard rules.updateValue(rule, forKey: name) == nil else {
                throw .grammar("<\(name)> is defined twice.", at: rule.position)
            }
            if isPublic && publicRule.isEmpty { publicRule = name }
        }
        guard !publicRule.isEmpty else {
            throw RecognitionError(
                .invalidOptions, "The grammar has no public rule: write 'public <name> = …;'.")
        }
        for (name, position) in parser.references where rules[name] == nil && !Self.isSpecial(name) {
            throw .grammar("There is no rule <\(name)>.", at: position)
        }
    }

    static func isSpecial(_ name: String) -> Bool { name == "NULL" || name == "VOID" }

    /// Refuses text above the maximum length.
    static func checkLength(_ text: String) throws(RecognitionError) {
        guard text.utf8.count <= longest else {
            throw RecognitionError(.invalidOptions, "A grammar may have at most 64 KiB of text.")
        }
    }
}

/// A recursive descent parser. The depth of brackets is limited.
private struct GrammarParser {
    typealias Expansion = GrammarRules.Expansion

    private var scanner: GrammarScanner
    private var token = GrammarToken.end
    private var position = GrammarPosition()
    private var depth = 0
    private(set) var references: [(String, GrammarPosition)] = []

    init(_ text: String) throws(RecognitionError) {
        try GrammarRules.checkLength(text)
        scanner = GrammarScanner(text)
        try advance()
    }

    private mutating func advance() throws(RecognitionError) {
        (token, position) = try scanner.next()
    }

    private mutating func expect(_ symbol: Unicode.Scalar, _ place: String) throws(RecognitionError) {
        guard token == .symbol(symbol) else {
            throw .grammar("'\(symbol)' is expected \(place), not \(token.text).", at: position)
        }
        try advance()
    }

    mutating func readHeader() throws(RecognitionError) {
        guard token == .word("#JSGF") else {
            throw .grammar("A grammar must begin with '#JSGF V1.0;'.", at: position)
        }
        // Version, character set, locale.
        try advance()
        while case .word = token { try advance() }
        try expect(";", "after the header")
        guard token == .word("grammar") else {
            throw .grammar("'grammar name;' is expected after the header.", at: position)
        }
        try advance()
        guard case .word = token else { throw .grammar("The grammar's name is missing.", at: position) }
        try advance()
        try expect(";", "after the grammar's name")
    }

    /// Nil at the end.
    mutating func readRule() throws(RecognitionError) -> (String, GrammarRules.Rule, isPublic: Bool)? {
        if token == .end { return nil }
        if token == .word("import") { throw .grammar("A grammar may not import others.", at: position) }
        let isPublic = token == .word("public")
        if isPublic { try advance() }
        guard case .rule(let name) = token else {
            throw .grammar("A rule such as '<name> = …;' is expected, not \(token.text).", at: position)
        }
        let start = position
        try advance()
        try expect("=", "after <\(name)>")
        let expansion = try alternatives()
        try expect(";", "at the end of <\(name)>")
        return (name, GrammarRules.Rule(expansion: expansion, position: start), isPublic)
    }

    private mutating func alternatives() throws(RecognitionError) -> Expansion {
        var all: [(weight: Double?, Expansion)] = []
        while true {
            var weight: Double?
            if case .weight(let value) = token {
                weight = value
                try advance()
            }
            all.append((weight, try sequence()))
            guard token == .symbol("|") else { break }
            try advance()
        }
        if all.count == 1 { return all[0].1 }
        guard all.contains(where: { $0.weight != nil }) else { return .alternatives(all) }
        let sum = all.reduce(0) { $0 + ($1.weight ?? 1) }
        return .alternatives(all.map { (sum > 0 ? ($0.weight ?? 1) / sum : nil, $0.1) })
    }

    private mutating func sequence() throws(RecognitionError) -> Expansion {
        var items: [Expansion] = []
        while let item = try item() { items.append(item) }
        guard !items.isEmpty else {
            throw .grammar("A word or a rule is expected, not \(token.text).", at: position)
        }
        return items.count == 1 ? items[0] : .sequence(items)
    }

    private mutating func item() throws(RecognitionError) -> Expansion? {
        var item: Expansion
        switch token {
        case .word(let word):
            item = .word(word, position)
            try advance()
        case .rule(let name):
            references.append((name, position))
            item = .rule(name, position)
            try advance()
        case _ where token == .symbol("("):
            item = try group(closedBy: ")")
        case _ where token == .symbol("["):
            item = .optional(try group(closedBy: "]"))
        case .weight:
            throw .grammar("A weight belongs to the beginning of an alternative.", at: position)
        default:
            return nil
        }
        // A repetition of a repetition is the same.
        while token == .symbol("*") || token == .symbol("+") {
            let atLeastOnce = token == .symbol("+")
            if case .repeated(let inner, let before) = item {
                item = .repeated(inner, atLeastOnce: before && atLeastOnce)
            } else {
                item = .repeated(item, atLeastOnce: atLeastOnce)
            }
            try advance()
        }
        return item
    }

    private mutating func group(closedBy end: Unicode.Scalar) throws(RecognitionError) -> Expansion {
        guard depth < GrammarRules.deepest else {
            throw .grammar(
                "Brackets are more than \(GrammarRules.deepest) deep: use rules instead.", at: position)
        }
        depth += 1
        defer { depth -= 1 }
        try advance()
        let inner = try alternatives()
        try expect(end, "here")
        return inner
    }
}
