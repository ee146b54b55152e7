/// The keys, words and error names listed in the interfaces' comments.
struct Vocabulary {
    struct Term: Equatable {
        /// The name on the bus.
        var name: String
        var documentation: String
        /// The type, of a key that has one.
        var signature: String?
        /// The documentation without the type.
        var meaning = ""
    }

    /// The fields of a structure.
    struct Fields {
        var type: String
        var names: [String]
    }

    /// The terms of one Swift type, and the places that list them.
    struct List {
        var type: String
        var places: [String] = []
        var terms: [Term] = []

        mutating func add(_ terms: [Term], of place: String) {
            places.append(place)
            for term in terms where !self.terms.contains(where: { $0.name == term.name }) {
                self.terms.append(term)
            }
        }
    }

    private(set) var keys: [List] = []
    private(set) var words: [List] = []
    /// Dictionaries with a type of their own.
    private(set) var details: [List] = []
    /// Their structures, by type and key.
    private(set) var fields: [String: [String: Fields]] = [:]
    /// Names without the prefix `org.example.Dictation.Error.`
    private(set) var errors: [Term] = []

    init(_ documents: [InterfaceDocument]) throws(GeneratorError) {
        for document in documents {
            errors += Self.errors(in: document)
            for interface in document.interfaces {
                for method in interface.methods {
                    try add(method.inputs + method.outputs, method.name, method.documentation)
                }
                for signal in interface.signals {
                    try add(signal.inputs, signal.name, signal.documentation)
                }
                for property in interface.properties {
                    let parts = MemberComment(property.documentation, member: property.name).parts
                    try add(property.vocabulary, parts) { _ in "the property `\(property.name)`" }
                }
            }
        }
    }

    private mutating func add(
        _ arguments: [Interface.Argument], _ member: String, _ documentation: String
    ) throws(GeneratorError) {
        for argument in arguments where !argument.vocabulary.isEmpty {
            let parts = MemberComment(documentation, member: member).parts
            guard let start = parts.firstIndex(where: { $0.kind == .argument && $0.term == argument.name })
            else { throw GeneratorError("\(member) says nothing of @\(argument.name)") }
            let own = [parts[start]] + parts[(start + 1)...].prefix { $0.kind == .entry }
            try add(argument.vocabulary, own) { "`\($0.key ?? argument.name)` of `\(member)`" }
        }
    }

    /// The annotations of one argument or property.
    private mutating func add(
        _ notes: [Interface.VocabularyNote], _ parts: [MemberComment.Part],
        _ place: (Interface.VocabularyNote) -> String
    ) throws(GeneratorError) {
        for note in notes where note.kind != .fields { try add(note, parts, place(note)) }
        for note in notes where note.kind == .fields {
            let words = note.type.split(separator: " ").map(String.init)
            guard let details = notes.first(where: { $0.kind == .details }), let key = note.key,
                let type = words.first
            else { throw GeneratorError("\(place(note)): fields need a key, a type and a type of details") }
            fields[details.type, default: [:]][key] = Fields(type: type, names: Array(words.dropFirst()))
        }
    }

    private mutating func add(
        _ note: Interface.VocabularyNote, _ parts: [MemberComment.Part], _ place: String
    ) throws(GeneratorError) {
        let terms: [Term]
        switch note.kind {
        case .keys, .details:
            var keys: [Term] = []
            for part in parts where part.kind == .entry { keys += try Self.keys(part, place) }
            terms = keys
        case .words:
            // The terms of an argument, or of one key.
            let chosen = parts.filter { part in
                note.key.map { part.kind == .entry && part.term.hasPrefix("\($0) ") } ?? true
            }
            terms = chosen.flatMap(Self.words)
        case .fields: return
        }
        guard !terms.isEmpty else { throw GeneratorError("\(place) lists nothing for \(note.type)") }
        switch note.kind {
        case .keys: Self.add(terms, note.type, place, to: &keys)
        case .words: Self.add(terms, note.type, place, to: &words)
        case .details: Self.add(terms, note.type, place, to: &details)
        case .fields: break
        }
    }

    private static func add(_ terms: [Term], _ type: String, _ place: String, to lists: inout [List]) {
        let index = lists.firstIndex { $0.type == type } ?? lists.endIndex
        if index == lists.endIndex { lists.append(List(type: type)) }
        lists[index].add(terms, of: place)
    }

    /// `linger b (false)`, `kind s, id s` or `"prompt"`: names, each with its type and default, if it has one.
    private static func keys(
        _ entry: MemberComment.Part, _ place: String
    ) throws(GeneratorError) -> [Term] {
        if let word = quoted(entry.term).first { return [Term(name: word, documentation: entry.text)] }
        return try entry.term.split(separator: ", ").map { (declaration) throws(GeneratorError) in
            guard
                let match = declaration.wholeMatch(
                    of: #/([a-z-]+) (((?:[a-z(){}]+ or )?[a-z(){}]+)(?: \(.+\))?)/#)
            else {
                throw GeneratorError(
                    "\(place): “\(declaration)” is not a name and a type, followed by two spaces and a meaning"
                )
            }
            let text = entry.text.isEmpty ? "" : ": \(entry.text)"
            return Term(
                name: String(match.1), documentation: "`\(match.2)`\(text)", signature: String(match.3),
                meaning: entry.text)
        }
    }

    /// A list of words, each with its meaning, or the words in quotes of a sentence.
    private static func words(_ part: MemberComment.Part) -> [Term] {
        if part.term.hasPrefix("\"") {
            return quoted(part.term).map { Term(name: $0, documentation: part.text) }
        }
        return quoted(part.text).map { Term(name: $0, documentation: "") }
    }

    private static func quoted(_ text: String) -> [String] {
        text.matches(of: #/"([a-z-]+)"/#).map { String($0.output.1) }
    }

    /// The list after the paragraph that begins with "Errors".
    private static func errors(in document: InterfaceDocument) -> [Term] {
        let parts = MemberComment(document.documentation, member: "").parts
        guard
            let start = parts.firstIndex(where: { $0.kind == .paragraph && $0.text.hasPrefix("Errors, all") })
        else { return [] }
        return parts[(start + 1)...].prefix { $0.kind == .entry }.map {
            Term(name: $0.term, documentation: $0.text)
        }
    }
}
