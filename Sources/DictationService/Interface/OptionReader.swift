import DBus
import DictationCore
import EventLoop

/// Reads the options of a call: an unknown key is never looked at, a value of the wrong type is refused.
struct OptionReader {
    let options: [String: Value]

    func bool(_ key: String) throws(Refusal) -> Bool? {
        try read(key, "a boolean (b)") { if case .bool(let value) = $0 { value } else { nil } }
    }

    func string(_ key: String) throws(Refusal) -> String? {
        try read(key, "a string (s)") { if case .string(let value) = $0 { value } else { nil } }
    }

    /// - Parameter orZero: zero is taken too, where the range does not hold it.
    func integer(
        _ key: String, in range: ClosedRange<UInt32>, orZero: Bool = false
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

    func descriptor(_ key: String) throws(Refusal) -> Descriptor? {
        try read(key, "a descriptor (h)") { if case .descriptor(let value) = $0 { value } else { nil } }
    }

    /// `as`, or `a(ss)` with a pronunciation for each word.
    func vocabulary(_ key: String) throws(Refusal) -> [TranscriptionRequest.VocabularyEntry]? {
        try read(key, "a list of words (as) or of words and pronunciations (a(ss))") { value in
            if let words = [String](value) { return words.map { .init(word: $0) } }
            guard case .array(let elements, _) = value else { return nil }
            var entries: [TranscriptionRequest.VocabularyEntry] = []
            for element in elements {
                guard case .structure(let fields) = element, fields.count == 2,
                    case .string(let word) = fields[0], case .string(let pronunciation) = fields[1]
                else { return nil }
                entries.append(.init(word: word, pronunciation: pronunciation))
            }
            return entries
        }
    }

    private func read<Result>(
        _ key: String, _ expected: String, as convert: (Value) -> Result?
    ) throws(Refusal) -> Result? {
        guard let value = options[key] else { return nil }
        guard let result = convert(value) else {
            throw Refusal(.invalidArguments, "Option '\(key)' must be \(expected).")
        }
        return result
    }
}
