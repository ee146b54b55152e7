import DictationCore
import Yams

/// Reads a ``LanguageTable`` from YAML. Unknown keys and values of the wrong kind are errors.
struct LanguageFile {
    let path: String

    func table(_ text: String) throws(LanguageFileError) -> LanguageTable {
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw syntaxError(error)
        }
        guard let root, let entries = root.mapping else {
            throw LanguageFileError(file: path, line: nil, message: "the file must be a mapping")
        }
        var table = LanguageTable(language: try string(root["language"] ?? root, "language"))
        for (key, value) in entries { try read(value, key, into: &table) }
        return table
    }

    private func read(_ value: Node, _ key: Node, into table: inout LanguageTable) throws(LanguageFileError) {
        switch key.string {
        case "language": break
        case "words":
            for (name, words) in try mapping(value) { table.roles[try role(name)] = try strings(words) }
        case "grammar":
            for (name, words) in try mapping(value) {
                table.grammar[try wordClass(name)] = try strings(words)
            }
        case "endings":
            for (name, words) in try mapping(value) {
                table.endings[try wordClass(name)] = try strings(words)
            }
        case "clean-up":
            let fields = try fields(value, of: ["fillers", "repeated", "repeated-beginnings"])
            table.cleanUp = CleanUpRules(
                fillers: try strings(fields["fillers"]), repeated: try strings(fields["repeated"]),
                repeatedBeginnings: try strings(fields["repeated-beginnings"]))
        case "habits": try readHabits(value, into: &table)
        case "openers": table.openers = try strings(value)
        case "numbers":
            for (name, values) in try mapping(value) {
                var numbers: [String: Int] = [:]
                for (word, number) in try mapping(values) {
                    numbers[try string(word, "a word")] = try integer(number)
                }
                table.numbers[try role(name)] = numbers
            }
        case "ordinal-suffixes":
            table.ordinalSuffixes = try strings(value)
            guard table.ordinalSuffixes.count == 4 else {
                throw failure(value, "there must be four suffixes")
            }
        case "decade-suffix": table.decadeSuffix = try string(value, "a string")
        case "group-separator": table.groupSeparator = try string(value, "a string")
        case "decimal-separator": table.decimalSeparator = try string(value, "a string")
        case "telephone-numbers":
            for item in try sequence(value) { table.telephoneNumbers.append(try telephoneNumber(item)) }
        case "percent-sign": table.percentSign = try string(value, "a string")
        case "unit-space": table.unitSpace = try string(value, "a string")
        case "currency-follows": table.currencyFollows = value.bool ?? false
        case "telephone-separator": table.telephoneSeparator = try string(value, "a string")
        case "teens-after":
            for number in try sequence(value) { table.teensAfter.append(try integer(number)) }
        case "compounds": try readCompounds(value, into: &table)
        case "date": try readDate(value, into: &table)
        case "time":
            let fields = try fields(value, of: ["write", "full-hour"])
            table.timeOfDay = try string(try required("write", fields, value), "a string")
            table.fullHour = try optional(fields["full-hour"])
        case "percent": table.percent = try strings(value)
        case "currencies": for item in try sequence(value) { table.currencies.append(try currency(item)) }
        case "units":
            for (words, symbol) in try mapping(value) {
                for word in try string(words, "words").split(separator: " ") {
                    table.units[String(word)] = try string(symbol, "a symbol")
                }
            }
        case "units-of-several-words":
            table.units.merge(try phrases(value)) { _, new in new }
        case "signs": table.signs = try phrases(value)
        case "idioms": table.idioms = try phrases(value)
        case "numbers-in-pairs": table.pairsNumbers = value.bool ?? false
        case "operators": table.operators = try phrases(value)
        case "clock": table.clock = try phrases(value)
        case "halves-of-day": table.halvesOfDay = try phrases(value)
        case "names": table.names = try strings(value)
        case "acronyms": table.acronyms = try strings(value)
        case "controls": table.controls = try spoken(value)
        case "commands": table.commands = try spoken(value)
        case "marks":
            for (heading, marks) in try mapping(value) {
                var list: [LanguageTable.Mark] = []
                for item in try sequence(marks) { list.append(try mark(item)) }
                table.marks.append((try string(heading, "a heading"), list))
            }
        case "examples":
            for (heading, examples) in try mapping(value) {
                table.examples.append((try string(heading, "a heading"), try strings(examples)))
            }
        default: throw failure(key, "there is no key '\(key.string ?? "")'")
        }
    }

    private func readCompounds(_ node: Node, into table: inout LanguageTable) throws(LanguageFileError) {
        let fields = try fields(node, of: ["joiner", "digits", "ordinal-endings"])
        table.compoundJoiner = try string(try required("joiner", fields, node), "a word")
        if let digits = fields["digits"] {
            for (word, value) in try mapping(digits) {
                table.compoundDigits[try string(word, "a word")] = try integer(value)
            }
        }
        table.compoundOrdinalEndings = try strings(fields["ordinal-endings"])
    }

    private func readHabits(_ node: Node, into table: inout LanguageTable) throws(LanguageFileError) {
        let fields = try fields(node, of: ["before-marks", "after-marks"])
        if let before = fields["before-marks"] { table.habits.before = try habits(before) }
        if let after = fields["after-marks"] { table.habits.after = try habits(after) }
    }

    /// Lists of words, separated by spaces, by their habit.
    private func habits(_ node: Node) throws(LanguageFileError) -> [String: Int] {
        var habits: [String: Int] = [:]
        for (key, words) in try mapping(node) {
            let habit = try signed(key)
            guard MarkHabits.range.contains(habit) else {
                throw failure(
                    key,
                    "a habit is between \(MarkHabits.range.lowerBound) and \(MarkHabits.range.upperBound)")
            }
            for word in try string(words, "words").split(whereSeparator: \.isWhitespace) {
                habits[String(word)] = habit
            }
        }
        return habits
    }

    private func readDate(_ node: Node, into table: inout LanguageTable) throws(LanguageFileError) {
        let fields = try fields(node, of: ["write", "day", "first-day"])
        table.date = try string(try required("write", fields, node), "a string")
        if let day = fields["day"] { table.dayOfDate = try string(day, "a string") }
        table.firstDay = try optional(fields["first-day"])
    }

    // MARK: Entries

    private func mark(_ node: Node) throws(LanguageFileError) -> LanguageTable.Mark {
        let keys = [
            "say", "write", "spacing", "evidence", "needs-opening", "needs-speech", "needs-break",
            "counts-before",
        ]
        let fields = try fields(node, of: keys)
        return LanguageTable.Mark(
            spoken: try strings(try required("say", fields, node)),
            written: try string(try required("write", fields, node), "a string"),
            spacing: try choice(try required("spacing", fields, node)),
            evidence: try fields["evidence"].map(signed) ?? 0,
            needsOpening: fields["needs-opening"]?.bool ?? false,
            needsSpeech: fields["needs-speech"]?.bool ?? false,
            needsBreak: fields["needs-break"]?.bool ?? false,
            countsBefore: fields["counts-before"]?.bool ?? false)
    }

    private func spoken<Meaning: RawRepresentable & CaseIterable & Sendable>(
        _ node: Node
    ) throws(LanguageFileError) -> [LanguageTable.Spoken<Meaning>] where Meaning.RawValue == String {
        var list: [LanguageTable.Spoken<Meaning>] = []
        for item in try sequence(node) {
            let fields = try fields(item, of: ["means", "say"])
            list.append(
                LanguageTable.Spoken(
                    try choice(try required("means", fields, item)),
                    spoken: try strings(try required("say", fields, item))))
        }
        return list
    }

    private func currency(_ node: Node) throws(LanguageFileError) -> LanguageTable.Currency {
        let fields = try fields(node, of: ["say", "sign", "cents", "regions"])
        return LanguageTable.Currency(
            spoken: try strings(try required("say", fields, node)),
            sign: try string(try required("sign", fields, node), "a string"),
            cents: try strings(fields["cents"]), regions: try strings(fields["regions"]))
    }

    private func telephoneNumber(_ node: Node) throws(LanguageFileError) -> LanguageTable.TelephoneNumber {
        let fields = try fields(node, of: ["prefix", "groups"])
        var groups: [Int] = []
        for group in try sequence(try required("groups", fields, node)) { groups.append(try integer(group)) }
        guard groups.allSatisfy({ (1...9).contains($0) }) else {
            throw failure(node, "groups must have 1 to 9 digits")
        }
        let prefix = try fields["prefix"].map { node throws(LanguageFileError) in try string(node, "digits") }
        return LanguageTable.TelephoneNumber(prefix: prefix ?? "", groups: groups)
    }

    private func phrases(_ node: Node) throws(LanguageFileError) -> [String: String] {
        var phrases: [String: String] = [:]
        for (spoken, written) in try mapping(node) {
            phrases[try string(spoken, "words")] = try string(written, "a string")
        }
        return phrases
    }

    private func role(_ node: Node) throws(LanguageFileError) -> Role {
        guard let role = Role.allCases.first(where: { "\($0)" == node.string }) else {
            throw failure(node, "there is no role '\(node.string ?? "")'")
        }
        return role
    }

    private func wordClass(_ node: Node) throws(LanguageFileError) -> WordClass {
        guard let wordClass = WordClass.allCases.first(where: { "\($0)" == node.string }) else {
            throw failure(node, "there is no class '\(node.string ?? "")'")
        }
        return wordClass
    }

    // MARK: Kinds of values

    private func fields(_ node: Node, of keys: [String]) throws(LanguageFileError) -> [String: Node] {
        var fields: [String: Node] = [:]
        for (key, value) in try mapping(node) {
            guard let name = key.string, keys.contains(name) else {
                throw failure(
                    key, "there is no key '\(key.string ?? "")' here, but: \(keys.joined(separator: ", "))")
            }
            fields[name] = value
        }
        return fields
    }

    private func optional(_ node: Node?) throws(LanguageFileError) -> String? {
        guard let node else { return nil }
        return try string(node, "a string")
    }

    private func required(
        _ key: String, _ fields: [String: Node], _ node: Node
    ) throws(LanguageFileError) -> Node {
        guard let value = fields[key] else { throw failure(node, "'\(key)' is missing") }
        return value
    }

    private func choice<Value: RawRepresentable & CaseIterable>(
        _ node: Node
    ) throws(LanguageFileError) -> Value where Value.RawValue == String {
        let word = node.scalar?.string ?? ""
        guard let value = Value(rawValue: word) else {
            let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw failure(node, "there is no '\(word)', but: \(known)")
        }
        return value
    }

    private func mapping(_ node: Node) throws(LanguageFileError) -> Node.Mapping {
        guard let mapping = node.mapping else { throw failure(node, "a mapping is expected") }
        return mapping
    }

    private func sequence(_ node: Node) throws(LanguageFileError) -> Node.Sequence {
        guard let sequence = node.sequence else { throw failure(node, "a list is expected") }
        return sequence
    }

    private func strings(_ node: Node?) throws(LanguageFileError) -> [String] {
        guard let node else { return [] }
        var strings: [String] = []
        for item in try sequence(node) { strings.append(try string(item, "a string")) }
        return strings
    }

    private func string(_ node: Node, _ expected: String) throws(LanguageFileError) -> String {
        guard let text = node.scalar?.string else { throw failure(node, "\(expected) is expected") }
        return text
    }

    private func integer(_ node: Node) throws(LanguageFileError) -> Int {
        guard let value = node.int, value >= 0 else { throw failure(node, "a whole number is expected") }
        return value
    }

    private func signed(_ node: Node) throws(LanguageFileError) -> Int {
        guard let value = node.int, (-100...100).contains(value) else {
            throw failure(node, "a whole number between -100 and 100 is expected")
        }
        return value
    }

    private func failure(_ node: Node, _ message: String) -> LanguageFileError {
        LanguageFileError(file: path, line: node.mark?.line, message: message)
    }

    private func syntaxError(_ error: any Error) -> LanguageFileError {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            LanguageFileError(file: path, line: mark.line, message: "is not valid YAML: \(problem)")
        default: LanguageFileError(file: path, line: nil, message: "is not valid YAML: \(error)")
        }
    }
}
