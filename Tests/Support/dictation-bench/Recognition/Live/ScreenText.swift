import DictationRig
import DictationTestKit

/// What stood on the screen while somebody spoke, against what was said.
struct ScreenText {
    private(set) var shown = 0
    private(set) var wrong = 0
    private var before: [Substring] = []
    private(set) var compared = 0
    private(set) var changed = 0

    /// Share of the words on the screen that are wrong, each counted as long as it stands there.
    var wrongRate: Double { Double(wrong) / Double(max(1, shown)) }
    /// Share of the words that the next text changes.
    var changedRate: Double { Double(changed) / Double(max(1, compared)) }

    /// A glance at the screen. Words that are not there yet are no errors.
    mutating func glance(at text: String, reference: String) {
        let words = Self.words(text)
        shown += words.count
        wrong += Self.distances(words, Self.words(reference)).min() ?? 0
        if words != before, !before.isEmpty {
            compared += before.count
            changed += Self.distances(before, words).min() ?? 0
        }
        before = words
    }

    /// Another utterance begins with an empty screen.
    mutating func clear() { before = [] }

    private static func words(_ text: String) -> [Substring] {
        countedWords(of: text).split(whereSeparator: \.isWhitespace)
    }

    /// The word errors against each beginning of the reference.
    private static func distances(_ words: [Substring], _ reference: [Substring]) -> [Int] {
        var row = Array(0...reference.count)
        for (index, word) in words.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in reference.enumerated() {
                let substituted = diagonal + (word == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
            }
        }
        return row
    }
}
