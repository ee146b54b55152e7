/// Predicts the pronunciation of words from their spelling, as learned from a dictionary. Pure.
///
/// A word is a sequence of units. A unit is a letter and its phones. The pronunciation of a word is the likeliest sequence of
/// units with its letters. M. Bisani and H. Ney, "Joint-Sequence Models for Grapheme-to-Phoneme Conversion" (2008).
public struct PronunciationModel: Sendable, Equatable {
    struct Unit: Hashable {
        var letter: UInt8
        var phones: [UInt8]
    }

    /// Maximum number of letters of a word.
    public static let mostLetters = 64
    /// Maximum number of hypotheses that are kept.
    private static let beam = 100

    let alphabet: Alphabet
    /// Numbered from 1.
    let units: [Unit]
    let joint: JointModel
    private let unitsOfLetter: [[UInt16]]

    /// Nil if nothing can be learned from the dictionary.
    /// - Parameter dictionary: lines of a word and its phones. Further pronunciations have a number in brackets after the
    ///   word.
    public init?(learning dictionary: [UInt8]) {
        self.init(learning: Self.entries(of: dictionary))
    }

    init?(learning words: [(word: Substring, phones: [Substring])]) {
        let alphabet = Alphabet(of: words)
        let letters = Dictionary(uniqueKeysWithValues: alphabet.letters.enumerated().map { ($1, UInt8($0)) })
        let phones = Dictionary(
            uniqueKeysWithValues: alphabet.phones.enumerated().map { (Substring($1), UInt8($0)) })
        var entries: [TrainingEntry] = []
        for word in words {
            let spelled = word.word.unicodeScalars.compactMap { letters[$0] }
            let said = word.phones.compactMap { phones[$0] }
            guard !spelled.isEmpty, spelled.count == word.word.unicodeScalars.count,
                spelled.count <= Self.mostLetters, !said.isEmpty, said.count == word.phones.count,
                said.count <= spelled.count * Alignment.mostPhones
            else { continue }
            entries.append(TrainingEntry(letters: spelled, phones: said))
        }
        let alignment = Alignment(entries, alphabet)
        var numbers: [Unit: UInt16] = [:]
        var units: [Unit] = []
        var sequences: [[UInt16]] = []
        for entry in entries {
            guard let ends = alignment.ends(of: entry) else { continue }
            var sequence: [UInt16] = []
            var start = 0
            for (letter, end) in zip(entry.letters, ends) {
                let unit = Unit(letter: letter, phones: Array(entry.phones[start..<end]))
                start = end
                if let number = numbers[unit] {
                    sequence.append(number)
                } else if units.count < JointModel.mostUnits {
                    units.append(unit)
                    numbers[unit] = UInt16(units.count)
                    sequence.append(UInt16(units.count))
                }
            }
            if sequence.count == entry.letters.count { sequences.append(sequence) }
        }
        guard !sequences.isEmpty else { return nil }
        self.init(alphabet, units, JointModel(sequences, unitCount: units.count))
    }

    init(_ alphabet: Alphabet, _ units: [Unit], _ joint: JointModel) {
        self.alphabet = alphabet
        self.units = units
        self.joint = joint
        var unitsOfLetter = [[UInt16]](repeating: [], count: alphabet.letters.count)
        for (index, unit) in units.enumerated() { unitsOfLetter[Int(unit.letter)].append(UInt16(index + 1)) }
        self.unitsOfLetter = unitsOfLetter
    }

    private struct Hypothesis {
        var probability: Float
        var history: UInt64
        var phones: [UInt8]
    }

    /// A hypothesis with one more unit.
    private struct Extension {
        var probability: Float
        var origin: Int
        var unit: UInt16
    }

    /// The likeliest pronunciations of a word, best first, as phones with spaces between them. Empty if the word has a letter
    /// that the dictionary does not have, or too many letters.
    public func pronunciations(of word: String, most: Int) -> [String] {
        guard let letters = alphabet.numbers(of: word), !letters.isEmpty, letters.count <= Self.mostLetters
        else { return [] }
        var beam = [Hypothesis(probability: 1, history: 0, phones: [])]
        for letter in letters {
            var next: [Extension] = []
            for (origin, hypothesis) in beam.enumerated() {
                for unit in unitsOfLetter[Int(letter)] {
                    let probability = joint.probability(of: unit, after: hypothesis.history)
                    next.append(
                        Extension(
                            probability: hypothesis.probability * probability, origin: origin, unit: unit))
                }
            }
            next.sort { $0.probability > $1.probability }
            // Only their ratios matter; this prevents underflow.
            let best = next.first.map(\.probability) ?? 1
            beam = next.prefix(Self.beam).map { step in
                Hypothesis(
                    probability: step.probability / best,
                    history: joint.history(beam[step.origin].history, with: step.unit),
                    phones: beam[step.origin].phones + units[Int(step.unit) - 1].phones)
            }
        }
        var sums: [[UInt8]: Float] = [:]
        for hypothesis in beam where !hypothesis.phones.isEmpty {
            sums[hypothesis.phones, default: 0] +=
                hypothesis.probability * joint.probability(of: 0, after: hypothesis.history)
        }
        return sums.sorted { ($1.value, $0.key.count) < ($0.value, $1.key.count) }.prefix(most).map {
            phones, _ in
            phones.map { alphabet.phones[Int($0)] }.joined(separator: " ")
        }
    }

    /// The words of a dictionary. Invalid lines are skipped.
    static func entries(of dictionary: [UInt8]) -> [(word: Substring, phones: [Substring])] {
        dictionary.split(separator: UInt8(ascii: "\n")).compactMap { line in
            var words = line.split(separator: UInt8(ascii: " "))
                .map { Substring(String(decoding: $0, as: UTF8.self)) }
            guard words.count > 1 else { return nil }
            var word = words.removeFirst()
            if word.utf8.last == UInt8(ascii: ")"), let bracket = word.utf8.firstIndex(of: UInt8(ascii: "(")),
                bracket > word.startIndex
            {
                word = word[..<bracket]
            }
            return (word, words)
        }
    }
}
