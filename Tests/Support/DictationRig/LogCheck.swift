import DictationTestKit

/// Dictated text never reaches a log: what rigs check when they end.
enum LogCheck {
    /// What the scripted engine understands of tones.
    private static var toneText: Regex<Substring> { /\bt[0-9]{3,4}\b/ }

    /// Pairs of words of the sentences that microphones of tests are given to say, and of what was recognised. One word
    /// alone may well be in a log.
    private static func pairs(_ text: String) -> Set<String> {
        let words = text.lowercased().split(whereSeparator: { !$0.isLetter })
        return Set(zip(words, words.dropFirst()).map { "\($0) \($1)" })
    }

    private static let spoken = pairs(Speech.johnsWords).union(pairs(Speech.amiableWords))

    /// Throws where a log holds text that was dictated.
    static func check(_ log: String, of program: String) throws {
        for line in log.split(separator: "\n") {
            let tone = line.firstMatch(of: toneText).map { String($0.output) }
            guard let found = tone ?? pairs(String(line)).first(where: spoken.contains) else { continue }
            throw TestFailure("The log of \(program) holds dictated text, '\(found)':\n\(line)")
        }
    }
}
