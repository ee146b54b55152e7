import CPocketSphinx
import Glibc

/// Places for a session's own words in a language model.
///
/// A place is in the model from the beginning. Only the dictionary defines the word that it stands for, so words can be
/// changed without loading the model again. As a member of classes that are named after words of the model, a place gets
/// the contexts of those words. Adding words by `ps_add_word` or `ngram_model_add_word` would crash: SphinxBase 5prealpha reads outside
/// its trie when it looks up n-grams with such words; classes never reach the trie.
struct SphinxVocabulary {
    /// Words whose contexts fit names and things. Of each list the first word that the model has is used.
    private static let contexts = [
        ["people", "leute", "gens", "personas", "persone"], ["it", "es", "ça", "lo"],
    ]
    /// SphinxBase has 128 in a model; one is for marks.
    private static let classLimit = 127
    /// The number of words that do not share a class, and with it the probability of its context.
    private static let unsharedWords = classLimit / contexts.count

    /// The names that each place has in the model and the dictionary.
    private let places: [[String]]

    /// The number of places for this number of words. It grows in large steps, so that few changes of a vocabulary need a
    /// new decoder.
    static func room(for words: Int) -> Int {
        var room = unsharedWords
        while room < words { room *= 2 }
        return room
    }

    /// - Parameters:
    ///   - room: the number of places; see ``room(for:)``.
    ///   - language: an `ngram_model_t` that no decoder has yet.
    init(room: Int, in language: OpaquePointer) throws(RecognitionError) {
        let found = Self.contexts.compactMap { words in words.first { Self.knows(language, $0) } }
        var places = [[String]](repeating: [], count: found.isEmpty ? 0 : room)
        let perClass = (room + Self.unsharedWords - 1) / Self.unsharedWords
        for (number, context) in found.enumerated() {
            for start in stride(from: 0, to: room, by: perClass) {
                let indices = start..<min(start + perClass, room)
                let names = indices.map { "=\($0)=\(number)" }
                let weight = 1 / Float(names.count)
                try Self.addClass(of: context, names.map { ($0, weight) }, to: language)
                for (index, name) in zip(indices, names) { places[index].append(name) }
            }
        }
        self.places = places
    }

    /// Assigns words to places.
    /// - Returns: nil if the model has no places, or too few.
    func names(for words: [String]) -> [(word: String, names: [String])]? {
        words.count <= places.count ? zip(words, places).map { ($0, $1) } : nil
    }

    /// Adds words that share the probability of the word `context` in all its positions.
    static func addClass(
        of context: String, _ members: [(word: String, weight: Float)], to language: OpaquePointer
    ) throws(RecognitionError) {
        var pointers: [UnsafeMutablePointer<CChar>?] = members.map { strdup($0.word) }
        defer { pointers.forEach { free($0) } }
        guard
            ngram_model_add_class(
                language, context, 1, &pointers, members.map(\.weight), Int32(members.count)) >= 0
        else {
            throw RecognitionError(
                .engineFailed, "The vocabulary cannot be added\(SphinxDecoder.reason()).")
        }
    }

    static func knows(_ language: OpaquePointer, _ word: UnsafePointer<CChar>) -> Bool {
        let number = ngram_wid(language, word)
        return number >= 0 && number != ngram_unknown_wid(language)
    }
}
