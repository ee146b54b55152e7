import DictationTestKit

/// Checks that no dictated text is in a log. Rigs call it at their end.
enum LogCheck {
    /// The scripted engine's text for tones.
    private static var toneText: Regex<Substring> { /\bt[0-9]{3,4}\b/ }

    /// Pairs of words of the sentences that test microphones say, and of the recognised ones. Single words may be in a
    /// log.
    private static func pairs(_ text: String) -> Set<String> {
        let words = text.lowercased().split(whereSeparator: { !$0.isLetter })
        return Set(zip(words, words.dropFirst()).map { "\($0) \($1)" })
    }

    private static let spoken = pairs(Speech.johnsWords).union(pairs(Speech.amiableWords))

    /// Throws if a log contains dictated text.
    static func check(_ log: String, of program: String) throws {
        for line in log.split(separator: "\n") {
            let tone = line.firstMatch(of: toneText).map { String($0.output) }
            guard let found = tone ?? pairs(String(line)).first(where: spoken.contains) else { continue }
            throw TestFailure("The log of \(program) contains dictated text, '\(found)':\n\(line)")
        }
    }
}
