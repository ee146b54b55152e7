/// How words of a language are said, learned from a dictionary. Pure.
///
/// A word is a sequence of units, each a letter with the phones that it stands for; the likeliest sequence of units that
/// spells a word says it. M. Bisani and H. Ney, "Joint-Sequence Models for Grapheme-to-Phoneme Conversion" (2008).
public struct PronunciationModel: Sendable, Equatable {
    struct Unit: Hashable {
        var letter: UInt8
        var phones: [UInt8]
    }

    /// Letters of a word, in a dictionary or asked for.
    public static let mostLetters = 64
    /// Sequences that are followed at a time.
    private static let beam = 100

    let alphabet: Alphabet
    /// Numbered from 1.
    let units: [Unit]
    let joint: JointModel
    private let unitsOfLetter: [[UInt16]]

    /// - Parameter dictionary: lines of a word, its number in brackets where it is said in several ways, and phones.
    ///   Nil where nothing can be learned from it.
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

    /// The likeliest ways to say a word, the likeliest first, as phones with spaces between them. Empty where it has a
    /// letter that no word of the dictionary has, or too many.
    public func pronunciations(of word: String, most: Int) -> [String] {
        guard let letters = alphabet.numbers(of: word), !letters.isEmpty, letters.count <= Self.mostLetters
        else { return [] }
        var beam = [Hypothesis(probability: 1, history: 0, phones: [])]
        for letter in letters {
            var next: [Extension] = []
            for (origin, hypothesis) in beam.enumerated() {
                for unit in unitsOfLetter[Int(letter)] {
                    let probability = joint.probability(of: unit, behind: hypothesis.history)
                    next.append(
                        Extension(
                            probability: hypothesis.probability * probability, origin: origin, unit: unit))
                }
            }
            next.sort { $0.probability > $1.probability }
            // Only their relation counts.
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
                hypothesis.probability * joint.probability(of: 0, behind: hypothesis.history)
        }
        return sums.sorted { ($1.value, $0.key.count) < ($0.value, $1.key.count) }.prefix(most).map {
            phones, _ in
            phones.map { alphabet.phones[Int($0)] }.joined(separator: " ")
        }
    }

    /// The words of a dictionary. Lines that are none are left out.
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
