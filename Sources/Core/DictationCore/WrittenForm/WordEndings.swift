/// Guesses the class of a word that is not in the table by its ending. It is asked about most words of every hypothesis.
struct WordEndings: Sendable {
    fileprivate struct Ending: Sendable {
        /// The last bytes, packed.
        var packed: UInt64
        var classes: WordClasses
    }

    /// The endings of one length, sorted by their bytes.
    fileprivate struct Group: Sendable {
        var length: Int
        var mask: UInt64
        var endings: [Ending]
    }

    /// The longest first.
    private var groups: [Group] = []

    private static let mostBytes = 8
    /// A shorter word with an ending is a word of its own: "bed".
    private static let shortestStem = 2

    init(_ endings: [WordClass: [String]]) {
        var all: [Int: [UInt64: WordClasses]] = [:]
        for (wordClass, list) in endings {
            for ending in list where (1...Self.mostBytes).contains(ending.utf8.count) {
                let packed = ending.utf8.reduce(0) { $0 << 8 | UInt64($1) }
                all[ending.utf8.count, default: [:]][packed, default: []].insert(WordClasses(wordClass))
            }
        }
        groups = all.sorted { $0.key > $1.key }.map { length, endings in
            Group(
                length: length, mask: length == 8 ? .max : (1 << UInt64(8 * length)) - 1,
                endings: endings.map { Ending(packed: $0, classes: $1) }.sorted { $0.packed < $1.packed })
        }
    }

    func classes(of word: String) -> WordClasses {
        guard !groups.isEmpty else { return [] }
        let bytes = word.utf8
        let count = bytes.count
        var packed: UInt64 = 0
        for byte in bytes.suffix(Self.mostBytes) { packed = packed << 8 | UInt64(byte) }
        for group in groups where count >= group.length + Self.shortestStem {
            if let found = group.classes(of: packed) { return found }
        }
        return []
    }
}

extension WordEndings.Group {
    fileprivate func classes(of word: UInt64) -> WordClasses? {
        let wanted = word & mask
        var (low, high) = (0, endings.count)
        while low < high {
            let middle = (low + high) / 2
            if endings[middle].packed < wanted { low = middle + 1 } else { high = middle }
        }
        return low < endings.count && endings[low].packed == wanted ? endings[low].classes : nil
    }
}
