import DBus
import DictationConfiguration
import DictationCore

/// The user's own words, from the user's agent (SetWords).
enum OwnWords {
    /// Maximum number of bytes of all words and sounds.
    private static let byteLimit = 65536

    static func entries(
        _ words: [BusText], _ sounds: [BusText]
    ) throws(Refusal) -> [TranscriptionRequest.VocabularyEntry] {
        guard words.count == sounds.count, words.count <= Configuration.wordLimit else {
            throw Refusal(
                .invalidArguments,
                "There must be as many sounds as words, and at most \(Configuration.wordLimit) of each.")
        }
        guard (words + sounds).reduce(0, { $0 + $1.count }) <= byteLimit else {
            throw Refusal(.invalidArguments, "The words and sounds have more than \(byteLimit) bytes.")
        }
        var entries: [TranscriptionRequest.VocabularyEntry] = []
        for (word, sounds) in zip(words, sounds) {
            let sounds = try sounds.limited(to: .name, "A sound")
            let entry = TranscriptionRequest.VocabularyEntry(
                word: try word.limited(to: .name, "A word"), pronunciation: sounds.isEmpty ? nil : sounds,
                isOptional: true)
            if let fault = entry.fault { throw Refusal(.invalidArguments, fault) }
            entries.append(entry)
        }
        return entries
    }
}
