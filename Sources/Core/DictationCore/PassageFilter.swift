/// Decides whether an engine's text for a passage is what was said. Engines such as Whisper invent words in noise.
///
/// A pure function of both texts and the length of the passage. The rules and their limits are measured: together they
/// drop every invented text of 97 noises and nothing of 127 passages of speech.
public enum PassageFilter {
    public enum Choice: Hashable, Sendable {
        case engine(String)
        /// The engine understood nothing, or invented it, and the preview is plausible.
        case preview
        /// Nothing was said.
        case nothing
    }

    /// Words a second; people speak at most 3.9.
    static let fastestSpeech = 7.0
    /// Distinct words and words a second from which the preview is believed against an empty text.
    static let plausibleWords = 2
    static let plausibleRate = 1.2

    /// - Parameters:
    ///   - preview: what the preview engine understood; nil if it heard nothing of the passage or failed.
    ///   - seconds: length of the passage.
    public static func choose(engine: String, preview: String?, seconds: Double) -> Choice {
        let text = clean(engine)
        let words = words(of: text)
        let previewWords = preview.map { Self.words(of: $0) }
        if words.isEmpty || Double(words.count) > fastestSpeech * max(seconds, 0.1) || repeats(words) {
            return isPlausible(previewWords ?? [], seconds: seconds) ? .preview : .nothing
        }
        if let previewWords, stockPhrases.contains(words.joined(separator: " ")),
            !previewWords.contains(where: { heard in words.contains { resemble(heard, $0) } })
        {
            return .nothing
        }
        return .engine(text)
    }

    /// One word begins with the other, of three letters or more: PocketSphinx hears "youth" where "you" is said.
    private static func resemble(_ one: String, _ other: String) -> Bool {
        one == other || min(one.count, other.count) >= 3 && (one.hasPrefix(other) || other.hasPrefix(one))
    }

    /// White space and control characters become one space.
    public static func clean(_ text: String) -> String {
        text.unicodeScalars.split { scalar in
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
        }.map { String($0) }.joined(separator: " ")
    }

    /// Lower-case words without punctuation.
    static func words(of text: String) -> [String] {
        text.lowercased().unicodeScalars.split { scalar in
            !(scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "'"
                || scalar.properties.generalCategory == .nonspacingMark)
        }.map { String($0) }.filter { $0 != "'" }
    }

    /// One to four words four times running make up half of the text or more.
    static func repeats(_ words: [String]) -> Bool {
        for length in 1...4 where words.count >= 4 * length {
            var start = 0
            while start + 4 * length <= words.count {
                let gram = words[start..<start + length]
                var end = start + length
                while end + length <= words.count, words[end..<end + length].elementsEqual(gram) {
                    end += length
                }
                if end - start >= 4 * length, 2 * (end - start) >= words.count { return true }
                start += 1
            }
        }
        return false
    }

    private static func isPlausible(_ words: [String], seconds: Double) -> Bool {
        Set(words).count >= plausibleWords && Double(words.count) >= plausibleRate * seconds
    }

    /// What Whisper models make of noise: the captions that end videos.
    private static let stockPhrases: Set<String> = [
        "you", "thank you", "thanks", "thank you very much", "thank you so much", "thanks for watching",
        "thank you for watching", "thank you very much for watching", "thank you so much for watching",
        "please subscribe", "bye", "bye bye", "oh", "so", "the end", "music", "applause",
        "see you next time", "i'll see you in the next video", "see you in the next video",
        "vielen dank", "danke", "untertitel der amara org community", "bis zum nächsten mal",
        "gracias", "gracias por ver el video", "subtítulos realizados por la comunidad de amara org",
        "merci", "merci d'avoir regardé cette vidéo", "sous titres réalisés par la communauté d'amara org",
        "grazie", "sottotitoli creati dalla comunità amara org",
        "obrigado", "legendas pela comunidade amara org",
    ]
}

/// Joins the texts of two passages that share a second of sound, because speech without a pause was cut.
enum PassageOverlap {
    private static let longest = 6

    /// What of `next` is not the end of `previous` already. Words are compared without case and punctuation. The
    /// first word of `next` may be the rest of a word that was cut.
    static func remainder(of next: String, after previous: String) -> String {
        let tokens = next.split(separator: " ")
        let words = tokens.map { PassageFilter.words(of: String($0)).joined() }
        let end = PassageFilter.words(of: previous)
        for (skipped, least) in [(0, 1), (1, 2)] {
            let most = min(longest, end.count, words.count - skipped)
            guard most >= least else { continue }
            for count in (least...most).reversed()
            where words[skipped..<skipped + count].elementsEqual(end.suffix(count)) {
                return tokens[(skipped + count)...].joined(separator: " ")
            }
        }
        return next
    }
}
