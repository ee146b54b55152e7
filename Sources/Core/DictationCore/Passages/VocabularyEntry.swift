extension TranscriptionRequest {
    /// A word that is recognised in addition to those of the model.
    public struct VocabularyEntry: Hashable, Sendable {
        public var word: String
        /// Phones of the model; nil: the engine derives them from the spelling if it can.
        public var pronunciation: String?

        /// Whether it is left out if the engine cannot use it, instead of failing. The user's own words are optional, because
        /// the client did not ask for them.
        public var isOptional: Bool

        /// The words in lower case that it sounds like, from which its phones were made; nil if there are none.
        public var soundAlike: String?

        public init(
            word: String, pronunciation: String? = nil, isOptional: Bool = false, soundAlike: String? = nil
        ) {
            self.word = word
            self.pronunciation = pronunciation
            self.isOptional = isOptional
            self.soundAlike = soundAlike
        }
    }
}

extension TranscriptionRequest.VocabularyEntry {
    /// Why the entry cannot be used, for people; nil if it can. A word becomes a line of a dictionary, so it and its phones
    /// must not contain separators.
    public var fault: String? {
        let isWord =
            !word.isEmpty && word.utf8.count <= 64
            && word.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.value > 31 }
            && !word.hasPrefix("<") && !word.contains("(")
        guard isWord else { return "A vocabulary word must be one word without spaces or brackets." }
        guard let pronunciation, !soundsLikeWords else { return nil }
        let isPhones =
            !pronunciation.isEmpty && pronunciation.utf8.count <= 256
            && pronunciation.utf8.allSatisfy { (65...90).contains($0) || $0 == 32 }
        return isPhones
            ? nil
            : "The pronunciation of '\(word)' must be ARPAbet phones such as 'HH AH L OW', or words in lower case that "
                + "sound like it."
    }

    /// Whether the pronunciation consists of words, which are lower case; phones are upper case.
    public var soundsLikeWords: Bool {
        guard let pronunciation, pronunciation.utf8.count <= 256 else { return false }
        return pronunciation.contains { $0.isLetter }
            && pronunciation.unicodeScalars.allSatisfy {
                $0.properties.isLowercase || $0 == " " || $0 == "'" || $0 == "."
            }
    }

    /// The words that it sounds like, as the user has given them.
    public var alikeWords: String? { soundAlike ?? (soundsLikeWords ? pronunciation : nil) }
}
