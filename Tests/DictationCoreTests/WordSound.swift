@testable import DictationCore

/// Sound whose words are known: a word is 0.4 s of equal samples, whose value is its number. Zero is silence.
enum WordSound {
    static let wordLength = 6400

    static func samples(_ words: Range<Int>) -> [Int16] {
        words.flatMap { [Int16](repeating: Int16($0), count: wordLength) }
    }

    static func text(_ words: Range<Int>) -> String { words.map { "w\($0)" }.joined(separator: " ") }

    /// Samples between those that are looked at.
    private static let stride = 800

    /// What a recogniser hears. A part of a word is not recognised.
    static func text(of samples: some Collection<Int16>) -> String {
        var words: [String] = []
        var number: Int16 = 0
        var count = 0
        func endWord() {
            if number != 0 {
                words += [String](repeating: "w\(number)", count: count * stride / wordLength)
            }
        }
        var index = samples.startIndex
        while index < samples.endIndex {
            if samples[index] != number {
                endWord()
                number = samples[index]
                count = 0
            }
            count += 1
            index = samples.index(index, offsetBy: stride, limitedBy: samples.endIndex) ?? samples.endIndex
        }
        endWord()
        return words.joined(separator: " ")
    }

    /// The numbers of the words in a text.
    static func words(in text: String) -> [Int] {
        text.split(separator: " ").compactMap { Int($0.dropFirst()) }
    }
}

/// What became of each word that was said.
struct WordLedger {
    /// Whether an Error means that a word is missing.
    private let errorsLoseWords: Bool
    /// Words by block, in the order in which they were said.
    private var said: [BlockNumber: [Int]] = [:]
    /// Words without a second recogniser, which a failure may lose.
    private var losable: Set<Int> = []
    private var written: [BlockNumber: [Int]] = [:]
    private var losses: [BlockNumber: Int] = [:]
    private var shown: [BlockNumber: Int] = [:]
    private var mostShown: [BlockNumber: Int] = [:]
    private(set) var ended: [BlockNumber] = []
    private(set) var discarded: Set<BlockNumber> = []
    private(set) var failures: [String] = []

    init(errorsLoseWords: Bool) {
        self.errorsLoseWords = errorsLoseWords
    }

    mutating func say(_ words: Range<Int>, in block: BlockNumber, mayBeLost: Bool) {
        said[block, default: []] += words
        if mayBeLost { losable.formUnion(words) }
    }

    mutating func write(_ text: String, in block: BlockNumber, isLoss: Bool) {
        if discarded.contains(block) || ended.contains(block) { fail("block \(block) is over: \(text)") }
        if isLoss { losses[block, default: 0] += 1 }
        written[block, default: []] += WordSound.words(in: text)
    }

    mutating func discard(_ block: BlockNumber) { discarded.insert(block) }

    /// Every word is in the text once, in order. Without an Error no word is missing.
    mutating func end(_ block: BlockNumber) {
        if ended.contains(block) || discarded.contains(block) { fail("block \(block) ends twice") }
        ended.append(block)
        let words = written[block] ?? []
        let all = said[block] ?? []
        if zip(words, words.dropFirst()).contains(where: { $0 >= $1 }) {
            fail("words twice or in another order: \(words)")
        }
        let missing = Set(all).subtracting(words)
        if !Set(words).isSubset(of: all) { fail("words of another block: \(words)") }
        if losses[block] == nil, !missing.isEmpty { fail("lost without an Error: \(missing.sorted())") }
        if errorsLoseWords, losses[block] != nil, missing.isEmpty { fail("an Error without a loss") }
        if !missing.isSubset(of: losable) { fail("lost although there was a preview: \(missing.sorted())") }
    }

    /// What is shown of a block.
    mutating func show(_ text: String, in block: BlockNumber) {
        let words = (written[block] ?? []) + WordSound.words(in: text)
        shown[block] = words.count
        if zip(words, words.dropFirst()).contains(where: { $0 >= $1 }) {
            fail("shown twice or in another order: \(words)")
        }
    }

    /// No word that was shown has gone.
    mutating func countShown(in block: BlockNumber) {
        let (count, most) = (shown[block] ?? 0, mostShown[block] ?? 0)
        if count < most { fail("block \(block) shows \(count) words instead of \(most)") }
        mostShown[block] = count
    }

    mutating func fail(_ failure: String) { failures.append(failure) }
}

/// The same seed gives the same sequence everywhere.
struct SequenceGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
