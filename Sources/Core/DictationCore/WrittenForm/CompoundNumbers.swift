/// Reads numbers that a language writes in one word: "zweitausendfünfhundert".
struct CompoundNumbers: Sendable {
    /// The parts of a compound.
    private enum Part: Sendable {
        case digit(Int), teen(Int), tens(Int), hundred, thousand, and
    }

    private var parts: [[UInt8]: Part] = [:]
    private var longest = 0
    private let ordinalEndings: [[UInt8]]

    /// Longer words are no numbers.
    private static let mostBytes = 80

    /// Nil if the table has no parts.
    init?(_ table: LanguageTable) {
        guard !table.compoundJoiner.isEmpty else { return nil }
        ordinalEndings = table.compoundOrdinalEndings.map { Array($0.utf8) }.sorted { $0.count > $1.count }
        for (word, value) in table.numbers[.digit] ?? [:] { add(word, .digit(value)) }
        for (word, value) in table.compoundDigits { add(word, .digit(value)) }
        for (word, value) in table.numbers[.teen] ?? [:] { add(word, .teen(value)) }
        for (word, value) in table.numbers[.tens] ?? [:] { add(word, .tens(value)) }
        for word in table.roles[.hundred] ?? [] { add(word, .hundred) }
        for (word, value) in table.numbers[.scale] ?? [:] where value == 1000 { add(word, .thousand) }
        add(table.compoundJoiner, .and)
    }

    private mutating func add(_ word: String, _ part: Part) {
        let bytes = Array(word.utf8)
        parts[bytes] = part
        longest = max(longest, bytes.count)
    }

    /// The number that a word in lower case is, and whether it is an ordinal.
    func value(of word: String) -> (value: Int, isOrdinal: Bool)? {
        let bytes = Array(word.utf8)
        guard bytes.count <= Self.mostBytes, part(bytes[...]) != nil else { return nil }
        if let value = number(bytes[...]) { return (value, false) }
        for ending in ordinalEndings
        where bytes.count > ending.count && bytes.suffix(ending.count) == ending[...] {
            if let value = number(bytes.dropLast(ending.count)) { return (value, true) }
        }
        return nil
    }

    private func part(_ bytes: ArraySlice<UInt8>) -> (part: Part, length: Int)? {
        for length in stride(from: min(longest, bytes.count), to: 0, by: -1) {
            if let part = parts[Array(bytes.prefix(length))] { return (part, length) }
        }
        return nil
    }

    private func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var reader = Reader(rest: bytes, numbers: self)
        guard let value = reader.below(million: ()), reader.rest.isEmpty else { return nil }
        return value
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>
        let numbers: CompoundNumbers

        private mutating func next() -> Part? {
            guard let (part, length) = numbers.part(rest) else { return nil }
            rest = rest.dropFirst(length)
            return part
        }

        /// Takes the next part if it is one of those.
        private mutating func accepts(_ wanted: (Part) -> Bool) -> Bool {
            guard let (part, length) = numbers.part(rest), wanted(part) else { return false }
            rest = rest.dropFirst(length)
            return true
        }

        private mutating func acceptsAnd() -> Bool { accepts { if case .and = $0 { true } else { false } } }

        mutating func below(million: Void) -> Int? {
            let begin = rest
            let thousands = belowThousand()
            guard accepts({ if case .thousand = $0 { true } else { false } }) else {
                if thousands == nil { rest = begin }
                return thousands
            }
            let value = (thousands ?? 1) * 1000
            if rest.isEmpty { return value }
            _ = acceptsAnd()
            return belowThousand().map { value + $0 }
        }

        private mutating func belowThousand() -> Int? {
            let begin = rest
            let head = belowHundred()
            if head == nil { rest = begin }
            guard accepts({ if case .hundred = $0 { true } else { false } }) else { return head }
            let value = (head ?? 1) * 100
            let middle = rest
            _ = acceptsAnd()
            guard let more = belowHundred() else {
                rest = middle
                return value
            }
            return value + more
        }

        private mutating func belowHundred() -> Int? {
            let begin = rest
            switch next() {
            case .teen(let value), .tens(let value): return value
            case .digit(let digit):
                let single = rest
                if acceptsAnd(), case .tens(let tens) = next() { return tens + digit }
                rest = single
                return digit
            default:
                rest = begin
                return nil
            }
        }
    }
}
