/// Decides which text of a passage is what was said. Engines such as Whisper invent words in noise.
///
/// The sound decides whether somebody spoke, not the words of another engine. Doubt keeps the text. A pure function.
public enum PassageFilter {
    public enum Choice: Hashable, Sendable {
        case engine(String)
        /// The engine gave no text for speech, or less than was said.
        case preview
        /// Nothing was understood.
        case nothing
        /// The sound has no voice, or the text cannot be what was said. The text is dropped.
        case noise
    }

    /// Words a second; people speak at most 3.9.
    static let fastestSpeech = 7.0
    /// Words for each second of moving pitch that speech has at least. Read prose has 10, single words have 2 or more.
    static let fewestWords = 3.0
    /// Words of the preview that show that the engine missed speech, and how many times the engine's.
    private static let missedWords = 5
    private static let missedFactor = 3
    /// Different words that an engine may make of a sound that goes on: "beep beep".
    private static let variety = 3
    /// How often the same words follow each other only where an engine is caught in a loop.
    static let loopLength = 8

    /// - Parameters:
    ///   - engine: the engine's text.
    ///   - preview: what the preview engine understood; nil if there is none or it failed.
    ///   - seconds: length of the passage.
    ///   - voice: what its sound shows; nil if unknown.
    ///   - detectsSpeech: whether the engine itself decides whether somebody spoke.
    public static func choose(
        engine: String, preview: String?, seconds: Double, voice: VoiceEvidence?, detectsSpeech: Bool = false
    ) -> Choice {
        let text = EngineText.clean(engine)
        let words = wordCount(of: text)
        let isPossible =
            words > 0 && words <= fastestSpeech * max(seconds, 0.1) && !isLoop(Self.words(of: text))
        if detectsSpeech, isPossible || engine.isEmpty { return isPossible ? .engine(text) : .nothing }
        // Words that the preview engine heard have passed the same test.
        guard let voice, voice.source != .voice, wordCount(of: preview ?? "") == 0 else {
            return chooseInSpeech(text, words, isPossible: isPossible, preview: preview ?? "", voice)
        }
        let isVaried = Set(Self.words(of: text)).count > variety || words > Double(Self.words(of: text).count)
        if isPossible, isVaried, voice.mayBeWhisper(ofWords: Int(words)) { return .engine(text) }
        return words > 0 ? .noise : .nothing
    }

    private static func chooseInSpeech(
        _ text: String, _ words: Double, isPossible: Bool, preview: String, _ voice: VoiceEvidence?
    ) -> Choice {
        let heard = wordCount(of: preview)
        guard isPossible else { return heard > 0 ? .preview : words > 0 ? .noise : .nothing }
        if let voice, words < fewestWords * Double(voice.moving) / 100, heard >= Double(missedWords),
            heard >= Double(missedFactor) * words
        {
            return .preview
        }
        return .engine(text)
    }

    /// Lower-case words without punctuation.
    static func words(of text: String) -> [String] {
        text.lowercased().unicodeScalars.split { scalar in
            !(scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "'"
                || scalar.properties.generalCategory == .nonspacingMark)
        }.map { String($0) }.filter { $0 != "'" }
    }

    /// The number of words. In scripts without spaces two characters count as one.
    static func wordCount(of text: String) -> Double {
        words(of: text).reduce(0) { sum, word in
            let characters = word.unicodeScalars.count(where: hasNoSpaces)
            return sum + max(1, Double(characters) / 2)
        }
    }

    /// Thai to Khmer, kana, Han.
    private static func hasNoSpaces(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff, 0x3040...0x30ff, 0x3400...0x9fff,
            0xf900...0xfaff, 0x20000...0x3ffff:
            true
        default: false
        }
    }

    /// One to four words that follow each other eight times or more make up three quarters of the text.
    static func isLoop(_ words: [String]) -> Bool {
        for length in 1...4 where words.count >= loopLength * length {
            var start = 0
            while start + loopLength * length <= words.count {
                // Words that are one step apart and equal.
                var end = start + length
                while end < words.count, words[end] == words[end - length] { end += 1 }
                if end - start >= loopLength * length, 4 * (end - start) >= 3 * words.count { return true }
                start = max(start + 1, end - length + 1)
            }
        }
        return false
    }
}

/// Joins the texts of two passages that share a second of sound, because speech without a pause was cut.
enum PassageOverlap {
    private static let longest = 6

    /// What of `next` is not the end of `previous` already. Words are compared without case and punctuation. The
    /// first word of `next` may be the rest of a word that was cut.
    /// - Parameter mayGoOn: more words of `next` follow, so that it may not have come to the end of `previous` yet.
    static func remainder(of next: String, after previous: String, mayGoOn: Bool = false) -> String {
        let tokens = next.split(separator: " ")
        let words = tokens.map { PassageFilter.words(of: String($0)).joined() }
        let end = PassageFilter.words(of: previous)
        if mayGoOn, Self.contains(words, in: end.suffix(longest)) { return "" }
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

    private static func contains(_ words: [String], in others: ArraySlice<String>) -> Bool {
        guard words.count <= others.count else { return false }
        return (0...others.count - words.count).contains { others.dropFirst($0).starts(with: words) }
    }
}
