import CPocketSphinx
import DictationCore
import Glibc

/// A session's own words in a language model.
///
/// A word that the model lacks gets the contexts of a word that it has, as a member of a class of that name. Adding it
/// by `ps_add_word` or `ngram_model_add_word` would crash: SphinxBase 5prealpha reads outside its trie when it looks
/// up n-grams with such words; classes never reach the trie. And a class recognises more of them.
enum SphinxVocabulary {
    /// Words whose contexts fit names and things, the first that the model has.
    private static let contexts = ["people", "leute", "gens", "personas", "persone"]
    /// SphinxBase has 128 in a model; one is for marks.
    private static let mostClasses = 127

    /// - Parameters:
    ///   - words: that the model lacks, each once.
    ///   - language: an `ngram_model_t` that no decoder has yet.
    ///   - isOptional: a model that takes no words is no error.
    static func add(
        _ words: [String], to language: OpaquePointer, isOptional: Bool = false
    ) throws(RecognitionError) {
        guard !words.isEmpty else { return }
        guard let context = contexts.first(where: { knows(language, $0) }) else {
            if isOptional { return }
            throw RecognitionError(
                .invalidOptions, "This language model takes no words of one's own: leave 'vocabulary' out.")
        }
        // More words than classes share one, and with it the probability of its context.
        let perClass = (words.count + mostClasses - 1) / mostClasses
        for start in stride(from: 0, to: words.count, by: perClass) {
            let members = Array(words[start..<min(start + perClass, words.count)])
            let weight = 1 / Float(members.count)
            try addClass(of: context, members.map { ($0, weight) }, to: language)
        }
    }

    /// Adds words that get a share each of the probability of the word `context`, wherever that may stand.
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
