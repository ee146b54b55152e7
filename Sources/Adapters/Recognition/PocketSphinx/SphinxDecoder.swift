import CPocketSphinx
import DictationCore
import Glibc

/// A `ps_decoder_t` and its dependencies. It decodes cepstra; the caller has the front end and the cepstral mean
/// (``FrontEnd``, ``CepstralMean``).
final class SphinxDecoder {
    let pointer: OpaquePointer
    /// The mean that the model begins with.
    let modelMean: CepstralMean
    /// Nil with a grammar.
    private let language: SphinxLanguage?

    init(_ model: PocketSphinxModel.Files, _ settings: RecognizerSettings) throws(RecognitionError) {
        dictation_sphinx_keep_errors()
        dictation_sphinx_forget_error()
        let grammar = try settings.grammar.map { text throws(RecognitionError) in try GrammarGraph(text) }
        let dictionary = try grammar.map { grammar throws(RecognitionError) in
            try Self.dictionary(of: grammar, model, settings.vocabulary)
        }
        // A grammar has its own words and no language model.
        let loaded = withExtendedLifetime(dictionary) {
            dictation_sphinx_decoder(model.acoustic, dictionary?.path)
        }
        guard let decoder = loaded else {
            throw RecognitionError(
                .engineUnavailable, "PocketSphinx cannot load the model in \(model.acoustic)\(Self.reason())."
            )
        }
        pointer = decoder
        modelMean = CepstralMean(
            parsing: dictation_sphinx_initial_mean(decoder).map { String(cString: $0) } ?? "")
        do throws(RecognitionError) {
            if let grammar { try Self.use(grammar, on: decoder) }
            language = grammar == nil ? try Self.language(of: model, settings, on: decoder) : nil
        } catch {
            ps_free(decoder)
            throw error
        }
    }

    private static func language(
        of model: PocketSphinxModel.Files, _ settings: RecognizerSettings, on decoder: OpaquePointer
    ) throws(RecognitionError) -> SphinxLanguage {
        let words = Set(settings.vocabulary.map(\.word)).count
        let language = try SphinxLanguage(
            model.language, dictionary: model.dictionary, marks: settings.spokenMarks,
            room: max(settings.vocabularyRoom, SphinxVocabulary.room(for: words)), on: decoder)
        try language.use(settings.vocabulary)
        return language
    }

    deinit { ps_free(pointer) }

    /// The calling thread's last error, as ": …".
    static func reason() -> String {
        let message = String(cString: dictation_sphinx_last_error())
        return message.isEmpty ? "" : ": " + message
    }

    /// Own words by their names in results.
    var ownWords: [String: String] { language?.ownWords ?? [:] }

    /// Replaces the vocabulary. Not with a grammar, nor within an utterance.
    func use(_ vocabulary: [TranscriptionRequest.VocabularyEntry]) throws(RecognitionError) {
        try language?.use(vocabulary)
    }

    /// The words of a grammar, and the session's pronunciations.
    private static func dictionary(
        of grammar: GrammarGraph, _ model: PocketSphinxModel.Files,
        _ vocabulary: [TranscriptionRequest.VocabularyEntry]
    ) throws(RecognitionError) -> SphinxDictionary {
        let words = Set(grammar.words.map(\.text))
        let dictionary = try SphinxDictionary(model.dictionary, wanted: words) { _ in false }
        let given = pronunciations(of: vocabulary)
        try grammar.checkWords { dictionary.pronunciations[$0] != nil || given[$0] != nil }
        for word in words.sorted() {
            try dictionary.addAll(word, (dictionary.pronunciations[word] ?? []) + (given[word] ?? []))
        }
        return dictionary
    }

    /// The session's pronunciations, by word.
    static func pronunciations(
        of vocabulary: [TranscriptionRequest.VocabularyEntry]
    ) -> [String: [String]] {
        var given: [String: [String]] = [:]
        for entry in vocabulary {
            if let phones = entry.pronunciation, given[entry.word]?.contains(phones) != true {
                given[entry.word, default: []].append(phones)
            }
        }
        return given
    }

    static func noPronunciation(of word: String) -> RecognitionError {
        RecognitionError(
            .invalidOptions,
            "'\(word)' is not in the dictionary, and no pronunciation can be made from its spelling: give one, "
                + "such as 'HH AH L OW', or words in lower case that sound like it.")
    }

    private static func use(
        _ grammar: GrammarGraph, on decoder: OpaquePointer
    ) throws(RecognitionError) {
        dictation_sphinx_forget_error()
        let text = grammar.sphinxText(languageWeight: Double(dictation_sphinx_language_weight(decoder)))
        guard dictation_sphinx_use_grammar(decoder, text, text.utf8.count) else {
            throw RecognitionError(.invalidOptions, "The grammar cannot be used\(Self.reason()).")
        }
    }
}
