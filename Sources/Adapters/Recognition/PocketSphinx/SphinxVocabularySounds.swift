import DictationCore

/// Which words of a vocabulary need a pronunciation, and where it comes from: the session, the dictionary, words that sound
/// alike, or the spelling.
struct SphinxVocabularySounds {
    private let entries: [TranscriptionRequest.VocabularyEntry]
    /// Words that the session gives phones of.
    private let said: Set<String>

    init(_ entries: [TranscriptionRequest.VocabularyEntry]) {
        self.entries = entries
        said = Set(entries.filter { $0.pronunciation != nil && !$0.soundsLikeWords }.map(\.word))
    }

    var isIncomplete: Bool { entries.contains { isIncomplete($0) } }

    private func isIncomplete(_ entry: TranscriptionRequest.VocabularyEntry) -> Bool {
        entry.soundsLikeWords || entry.pronunciation == nil && !said.contains(entry.word)
    }

    /// What is spoken for an entry.
    private func words(_ entry: TranscriptionRequest.VocabularyEntry) -> [String] {
        entry.soundsLikeWords
            ? (entry.pronunciation ?? "").split(separator: " ").map(String.init) : [entry.word]
    }

    /// Words to look up in the dictionary, which has them in lower case.
    var wanted: Set<String> {
        Set(entries.filter(isIncomplete).flatMap(words).flatMap { [$0, $0.lowercased()] })
    }

    /// Words of which the dictionary has no pronunciation.
    func unknown(_ known: [String: [String]]) -> Set<String> {
        Set(entries.filter(isIncomplete).flatMap(words).filter { Self.sounds($0, known) == nil })
    }

    private static func sounds(_ word: String, _ known: [String: [String]]) -> [String]? {
        known[word] ?? known[word.lowercased()]
    }

    /// The vocabulary with phones for each word that the dictionary does not have as it is written.
    /// - Parameters:
    ///   - known: pronunciations of the dictionary.
    ///   - made: those that were made from spelling.
    func completed(
        _ known: [String: [String]], _ made: [String: [String]]
    ) throws(RecognitionError) -> [TranscriptionRequest.VocabularyEntry] {
        var completed: [TranscriptionRequest.VocabularyEntry] = []
        for entry in entries {
            guard isIncomplete(entry), entry.soundsLikeWords || known[entry.word] == nil else {
                completed.append(entry)
                continue
            }
            var ways = [""]
            for word in words(entry) {
                let sounds = Self.sounds(word, known) ?? made[word] ?? []
                guard !sounds.isEmpty || entry.isOptional else {
                    throw SphinxDecoder.noPronunciation(of: word)
                }
                ways = ways.flatMap { before in sounds.map { before.isEmpty ? $0 : before + " " + $0 } }
                ways = Array(ways.prefix(Pronouncer.pronunciationLimit))
            }
            completed += ways.map {
                .init(
                    word: entry.word, pronunciation: $0, isOptional: entry.isOptional,
                    soundAlike: entry.alikeWords)
            }
        }
        return completed
    }
}
