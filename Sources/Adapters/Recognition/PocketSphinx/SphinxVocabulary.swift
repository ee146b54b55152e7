import CPocketSphinx
import DictationCore
import Glibc

/// A session's own words in a language model.
///
/// A word that the model does not have gets the contexts of another word, as a member of a class of that name. Adding
/// it with `ps_add_word` or `ngram_model_add_word` would crash: SphinxBase 5prealpha reads outside its trie when it
/// looks up n-grams with such words. Classes do not use the trie, and more of their words are recognised.
enum SphinxVocabulary {
    /// Words whose contexts fit names and things. The first that the model has is used.
    private static let contexts = ["people", "leute", "gens", "personas", "persone"]
    /// SphinxBase allows 128 classes in a model; one is for marks.
    private static let mostClasses = 127

    /// - Parameters:
    ///   - words: words that the model does not have, without duplicates.
    ///   - language: an `ngram_model_t` that no decoder uses yet.
    ///   - isOptional: ignore a model that does not take words.
    static func add(
        _ words: [String], to language: OpaquePointer, isOptional: Bool = false
    ) throws(RecognitionError) {
        guard !words.isEmpty else { return }
        guard let context = contexts.first(where: { knows(language, $0) }) else {
            if isOptional { return }
            throw RecognitionError(
                .invalidOptions, "This language model takes no words of one's own: leave 'vocabulary' out.")
        }
        // If there are more words than classes, several share one, and with it the probability of its context.
        let perClass = (words.count + mostClasses - 1) / mostClasses
        for start in stride(from: 0, to: words.count, by: perClass) {
            let members = Array(words[start..<min(start + perClass, words.count)])
            let weight = 1 / Float(members.count)
            try addClass(of: context, members.map { ($0, weight) }, to: language)
        }
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
