import DictationRig
import DictationTestKit

/// What stood on the screen while somebody spoke, against what was said.
struct ScreenText {
    private static let glance = 0.25

    private(set) var shown = 0
    private(set) var wrong = 0
    private(set) var compared = 0
    private(set) var changed = 0
    /// Seconds from the end of each word until the screen had it.
    private(set) var delays: [Double] = []
    private(set) var firsts: [Double] = []

    /// Share of the words on the screen that are wrong, each counted as long as it stands there.
    var wrongRate: Double { Double(wrong) / Double(max(1, shown)) }
    /// Share of the words that the next text changes.
    var changedRate: Double { Double(changed) / Double(max(1, compared)) }

    /// - Parameters:
    ///   - reference: what was said.
    ///   - ends: when each of its words was said, in seconds from the beginning of the speech's samples.
    mutating func add(_ seen: SeenUtterance, reference: String, ends: [Double]) {
        let said = Self.words(reference)
        if let first = seen.first { firsts.append(first) }
        // Words that are not there yet are no errors.
        var time = seen.onset
        while time < seen.end {
            if let text = seen.texts.last(where: { $0.time <= time })?.text {
                let words = Self.words(text)
                shown += words.count
                wrong += Self.distances(words, said).min() ?? 0
            }
            time += Self.glance
        }
        for (text, next) in zip(seen.texts, seen.texts.dropFirst()) {
            let words = Self.words(text.text)
            compared += words.count
            changed += Self.distances(words, Self.words(next.text)).min() ?? 0
        }
        guard ends.count == said.count else { return }
        var covered = 0
        let final = (time: seen.end + seen.commit / 1000, text: seen.text)
        for (time, text) in seen.texts + [final] {
            let distances = Self.distances(Self.words(text), said)
            guard let least = distances.min(), let length = distances.lastIndex(of: least) else { continue }
            while covered < length {
                delays.append(max(0, time - LiveScene.lead - ends[covered]))
                covered += 1
            }
        }
    }

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
