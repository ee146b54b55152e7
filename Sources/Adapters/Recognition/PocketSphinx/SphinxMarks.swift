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

    /// Marks with a word that the dictionary does not have are left out.
    func add(to dictionary: SphinxDictionary, _ language: OpaquePointer) throws(RecognitionError) {
        guard let context = Self.contexts.first(where: { SphinxVocabulary.knows(language, $0) }) else {
            return
        }
        var members: [(word: String, weight: Float)] = []
        for phrase in phrases {
            let phones = pronunciations(of: phrase, in: dictionary)
            guard !phones.isEmpty else { continue }
            let token = SpokenMark.token(for: phrase)
            try dictionary.addAll(token, phones)
            members.append((token, Self.weight))
        }
        guard !members.isEmpty else { return }
        // The weights of a class sum to one. The rest goes to a word without a pronunciation.
        members.append((SpokenMark.token(for: "none of them"), 1 - Self.weight * Float(members.count)))
        try SphinxVocabulary.addClass(of: context, members, to: language)
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
