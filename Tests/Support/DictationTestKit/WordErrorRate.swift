/// The word error rate: substitutions, deletions and insertions of the best alignment (Levenshtein), divided by the
/// number of reference words.
public struct WordErrorRate: Hashable, Sendable, CustomStringConvertible {
    public private(set) var errors = 0
    public private(set) var words = 0

    public init() {}

    public init(of recognised: String, reference: String) {
        add(recognised, reference: reference)
    }

    /// 0 is perfect; may exceed 1.
    public var rate: Double { words == 0 ? 0 : Double(errors) / Double(words) }

    public var description: String { "\(errors) errors in \(words) words" }

    /// Another utterance of the same set.
    public mutating func add(_ recognised: String, reference: String) {
        let reference = Self.words(reference)
        errors += Self.distance(Self.words(recognised), reference)
        words += reference.count
    }

    private static func words(_ text: String) -> [Substring] {
        text.lowercased().split { $0.isWhitespace }.map { Substring($0) }
    }

    private static func distance(_ left: [Substring], _ right: [Substring]) -> Int {
        var row = Array(0...right.count)
        for (index, word) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let substituted = diagonal + (word == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
