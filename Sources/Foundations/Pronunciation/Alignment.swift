/// Aligns the letters of words with phones: each letter has none, one or two. Learned by expectation maximisation, as in
/// S. Jiampojamarn et al., "Applying Many-to-Many Alignments and Hidden Markov Models to Letter-to-Phoneme Conversion" (2007).
struct Alignment {
    /// Maximum number of phones for one letter.
    static let mostPhones = 2
    /// Maximum number of words to learn from. The probabilities of about a thousand pairs need no more.
    private static let sampleLimit = 20_000
    private static let rounds = 5

    private let phoneCount: Int
    /// The probability of each pair of a letter and its phones.
    private var probabilities: [Double]

    init(_ entries: [TrainingEntry], _ alphabet: Alphabet) {
        phoneCount = alphabet.phones.count
        let pairs = 1 + phoneCount + phoneCount * phoneCount
        probabilities = Array(repeating: 1 / Double(pairs), count: alphabet.letters.count * pairs)
        let step = max(1, entries.count / Self.sampleLimit)
        let sample = stride(from: 0, to: entries.count, by: step).map { entries[$0] }
        for _ in 0..<Self.rounds { learn(sample, pairs) }
    }

    private func pair(_ letter: UInt8, _ phones: ArraySlice<UInt8>) -> Int {
        var number = 0
        for phone in phones { number = number * phoneCount + Int(phone) + 1 }
        return Int(letter) * (1 + phoneCount + phoneCount * phoneCount) + number
    }

    private mutating func learn(_ entries: [TrainingEntry], _ pairs: Int) {
        var counts = [Double](repeating: 0, count: probabilities.count)
        for entry in entries { count(entry, &counts) }
        let sum = counts.reduce(0, +)
        guard sum > 0 else { return }
        probabilities = counts.map { $0 / sum }
    }

    /// Adds the expected counts of one word, by the forward-backward algorithm.
    private func count(_ entry: TrainingEntry, _ counts: inout [Double]) {
        let width = entry.phones.count + 1
        let height = entry.letters.count + 1
        var forward = [Double](repeating: 0, count: height * width)
        var backward = forward
        forward[0] = 1
        backward[height * width - 1] = 1
        for letter in 0..<height - 1 {
            for phone in 0..<width where forward[letter * width + phone] > 0 {
                for end in phone...min(phone + Self.mostPhones, width - 1) {
                    let index = pair(entry.letters[letter], entry.phones[phone..<end])
                    forward[(letter + 1) * width + end] +=
                        forward[letter * width + phone] * probabilities[index]
                }
            }
        }
        let total = forward[height * width - 1]
        guard total > 0 else { return }
        for letter in stride(from: height - 2, through: 0, by: -1) {
            for phone in 0..<width {
                for end in phone...min(phone + Self.mostPhones, width - 1) {
                    let index = pair(entry.letters[letter], entry.phones[phone..<end])
                    let after = probabilities[index] * backward[(letter + 1) * width + end]
                    backward[letter * width + phone] += after
                    counts[index] += forward[letter * width + phone] * after / total
                }
            }
        }
    }

    /// For each letter, the end of its phones in the likeliest alignment; nil if there is no alignment.
    func ends(of entry: TrainingEntry) -> [Int]? {
        let width = entry.phones.count + 1
        let height = entry.letters.count + 1
        var best = [Double](repeating: 0, count: height * width)
        var origins = [Int](repeating: 0, count: height * width)
        best[0] = 1
        for letter in 0..<height - 1 {
            for phone in 0..<width where best[letter * width + phone] > 0 {
                for end in phone...min(phone + Self.mostPhones, width - 1) {
                    let index = pair(entry.letters[letter], entry.phones[phone..<end])
                    let value = best[letter * width + phone] * probabilities[index]
                    if value > best[(letter + 1) * width + end] {
                        best[(letter + 1) * width + end] = value
                        origins[(letter + 1) * width + end] = phone
                    }
                }
            }
        }
        guard best[height * width - 1] > 0 else { return nil }
        var ends: [Int] = []
        var end = width - 1
        for letter in stride(from: height - 1, to: 0, by: -1) {
            ends.append(end)
            end = origins[letter * width + end]
        }
        return ends.reversed()
    }
}
