import DictationCore

/// Spoken marks in a language model, as words of their own. The model gives "comma" a low probability, because ordinary
/// text does not contain it.
///
/// They are members of a class with the contexts of "and". Measured with 52 marks in sentences: 37 instead of 15 are
/// recognised, and the decoder itself distinguishes a mark from the same word.
struct SphinxMarks {
    /// Words whose contexts fit marks. The first that the model has is used.
    private static let contexts = ["and", "und", "et", "y", "e"]
    /// Fraction of the context's probability for each mark. A higher value turns words into marks, a lower one marks
    /// into words.
    private static let weight: Float = 0.001
    /// Maximum number of pronunciations of a mark.
    private static let mostPronunciations = 4
    private static let mostMarks = 500

    private let phrases: [String]

    init(_ phrases: [String]) {
        self.phrases = Array(phrases.prefix(Self.mostMarks))
    }

    /// Words whose pronunciations are needed.
    var words: Set<String> { Set(phrases.flatMap { $0.split(separator: " ").map(String.init) }) }

    /// - Parameter language: an `ngram_model_t` that no decoder has yet.
    func add(to language: OpaquePointer) throws(RecognitionError) {
        guard !phrases.isEmpty,
            let context = Self.contexts.first(where: { SphinxVocabulary.knows(language, $0) })
        else { return }
        var members = phrases.map { (word: SpokenMark.token(for: $0), weight: Self.weight) }
        // The weights of a class sum to one. The rest is for a word that has no pronunciation.
        members.append((SpokenMark.token(for: "none of them"), 1 - Self.weight * Float(members.count)))
        try SphinxVocabulary.addClass(of: context, members, to: language)
    }

    /// Marks of which the dictionary lacks a word are left out, and so never recognised.
    func add(to dictionary: SphinxDictionary) throws(RecognitionError) {
        for phrase in phrases {
            let phones = pronunciations(of: phrase, in: dictionary)
            if !phones.isEmpty { try dictionary.addAll(SpokenMark.token(for: phrase), phones) }
        }
    }

    private func pronunciations(of phrase: String, in dictionary: SphinxDictionary) -> [String] {
        var ways = [""]
        for word in phrase.split(separator: " ") {
            let phones = dictionary.pronunciations[String(word)] ?? []
            ways = ways.flatMap { before in phones.map { before.isEmpty ? $0 : before + " " + $0 } }
            ways = Array(ways.prefix(Self.mostPronunciations))
        }
        return ways
    }
}
