package import DBus
package import DictationCore
import DictationInterface
package import EventLoop

/// Reads the options of a call. Ignores unknown keys; refuses values of the wrong type.
package struct OptionReader {
    package let options: [BusText: Value]

    package init(options: [BusText: Value]) { self.options = options }

    package func bool(_ key: BusText) throws(Refusal) -> Bool? {
        try read(key, "a boolean (b)") { if case .bool(let value) = $0 { value } else { nil } }
    }

    /// `b`, or a word (`s`) that means more than true.
    package func bool(_ key: BusText, orWord word: BusText) throws(Refusal) -> (isOn: Bool, isWord: Bool)? {
        try read(key, "a boolean (b) or '\(word)' (s)") { value in
            switch value {
            case .bool(let isOn): (isOn, false)
            case .string(word): (true, true)
            default: nil
            }
        }
    }

    package func string(_ key: BusText, atMost limit: TextLimit = .name) throws(Refusal) -> String? {
        let text: BusText? = try read(key, "a string (s)") {
            if case .string(let value) = $0 { value } else { nil }
        }
        return try text?.limited(to: limit, "Option '\(key)'")
    }

    /// - Parameter orZero: whether zero is valid in addition to the range.
    package func integer(
        _ key: BusText, in range: ClosedRange<UInt32>, orZero: Bool = false
    ) throws(Refusal) -> UInt32? {
        let value: UInt32? = try read(key, "an unsigned integer (u)") {
            if case .uint32(let value) = $0 { value } else { nil }
        }
        if let value, !range.contains(value), !(orZero && value == 0) {
            throw Refusal(
                .invalidArguments,
                "Option '\(key)' must be \(orZero ? "0 or " : "")from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return value
    }

    package func number(_ key: BusText) throws(Refusal) -> UInt64? {
        try read(key, "an unsigned integer (t)") { if case .uint64(let value) = $0 { value } else { nil } }
    }

    package func descriptor(_ key: BusText) throws(Refusal) -> Descriptor? {
        try read(key, "a descriptor (h)") { if case .descriptor(let value) = $0 { value } else { nil } }
    }

    package func strings(_ key: BusText) throws(Refusal) -> [BusText]? {
        try read(key, "a list of strings (as)") { [BusText]($0) }
    }

    package func texts(_ key: BusText) throws(Refusal) -> [BusText: BusText]? {
        try read(key, "a dictionary of strings (a{ss})") { [BusText: BusText]($0) }
    }

    /// `as`, or `a(ss)` with a pronunciation for each word.
    package func vocabulary(_ key: BusText) throws(Refusal) -> [TranscriptionRequest.VocabularyEntry]? {
        let words: [(BusText, BusText?)]? = try read(
            key, "a list of words (as) or of words and pronunciations (a(ss))"
        ) { value in
            if let words = [BusText](value) { return words.map { ($0, nil) } }
            guard case .array(let elements, "(ss)") = value else { return nil }
            return elements.compactMap { element in
                guard case .structure(let fields) = element, fields.count == 2,
                    case .string(let word) = fields[0], case .string(let pronunciation) = fields[1]
                else { return nil }
                return (word, pronunciation)
            }
        }
        guard let words else { return nil }
        guard words.count <= StartOption.wordLimit else {
            throw Refusal(
                .invalidArguments,
                "Option '\(key)' may have at most \(StartOption.wordLimit) words, not \(words.count).")
        }
        var entries: [TranscriptionRequest.VocabularyEntry] = []
        for (word, pronunciation) in words {
            let word = try word.limited(to: .name, "A word of option '\(key)'")
            let pronunciation = try pronunciation?.limited(to: .name, "A pronunciation of option '\(key)'")
            entries.append(.init(word: word, pronunciation: pronunciation))
        }
        return entries
    }

    private func read<Result>(
        _ key: BusText, _ expected: String, as convert: (Value) -> Result?
    ) throws(Refusal) -> Result? {
        guard let value = options[key] else { return nil }
        guard let result = convert(value) else {
            throw Refusal(.invalidArguments, "Option '\(key)' must be \(expected).")
        }
        return result
    }
}
