import CPocketSphinx
import DictationCore
import Glibc

/// The vocabulary of a decoder without a grammar: the words of a language model, spoken marks, and a session's own words.
/// The own words can be changed between utterances. A change replaces the dictionary; both models stay.
final class SphinxLanguage {
    private let decoder: OpaquePointer
    private let model: OpaquePointer
    /// The path of the model's dictionary.
    private let dictionary: String
    private let marks: SphinxMarks
    private let vocabulary: SphinxVocabulary
    private var isSearched = false
    /// Own words by their names in the decoder.
    private(set) var ownWords: [String: String] = [:]

    /// - Parameters:
    ///   - path: of the language model.
    ///   - dictionary: the path of the dictionary.
    ///   - room: the maximum number of own words; see ``SphinxVocabulary/room(for:)``.
    ///   - decoder: must outlive this.
    init(
        _ path: String, dictionary: String, marks: [String], room: Int, on decoder: OpaquePointer
    ) throws(RecognitionError) {
        dictation_sphinx_forget_error()
        guard let model = dictation_sphinx_language(decoder, path) else {
            throw RecognitionError(
                .engineUnavailable, "PocketSphinx cannot load \(path)\(SphinxDecoder.reason()).")
        }
        self.decoder = decoder
        self.model = model
        self.dictionary = dictionary
        self.marks = SphinxMarks(marks)
        do throws(RecognitionError) {
            vocabulary = try SphinxVocabulary(room: room, in: model)
            try self.marks.add(to: model)
        } catch {
            ngram_model_free(model)
            throw error
        }
    }

    deinit { ngram_model_free(model) }

    /// Replaces the own words. Not within an utterance.
    func use(_ entries: [TranscriptionRequest.VocabularyEntry]) throws(RecognitionError) {
        let given = SphinxDecoder.pronunciations(of: entries)
        let words = Set(entries.map(\.word))
        let unknown = words.filter { !SphinxVocabulary.knows(model, $0) }
        let dictionary = try SphinxDictionary(dictionary, wanted: words.union(marks.words)) {
            SphinxVocabulary.knows(model, $0)
        }
        for word in words.subtracting(unknown) { try dictionary.add(word, given[word] ?? []) }
        var ownWords: [String: String] = [:]
        for (word, names) in try places(for: unknown.sorted(), entries) {
            let phones = (dictionary.pronunciations[word] ?? []) + (given[word] ?? [])
            guard !phones.isEmpty else { throw SphinxDecoder.noPronunciation(of: word) }
            for name in names {
                try dictionary.addAll(name, phones)
                ownWords[name] = word
            }
        }
        try marks.add(to: dictionary)
        try load(dictionary)
        self.ownWords = ownWords
        try checkPhones(of: entries)
    }

    private func places(
        for words: [String], _ entries: [TranscriptionRequest.VocabularyEntry]
    ) throws(RecognitionError) -> [(word: String, names: [String])] {
        if let places = vocabulary.names(for: words) { return places }
        // It is no error if the model takes no words and all words are optional.
        if entries.allSatisfy(\.isOptional) { return [] }
        throw RecognitionError(
            .invalidOptions, "This language model cannot take a vocabulary: leave 'vocabulary' out.")
    }

    private func load(_ dictionary: SphinxDictionary) throws(RecognitionError) {
        dictation_sphinx_forget_error()
        var isLoaded = ps_load_dict(decoder, dictionary.path, nil, nil) == 0
        if isLoaded, !isSearched {
            isLoaded = dictation_sphinx_use_language(decoder, model)
            isSearched = isLoaded
        }
        guard isLoaded else {
            throw RecognitionError(
                .engineUnavailable, "PocketSphinx cannot use \(self.dictionary)\(SphinxDecoder.reason()).")
        }
    }

    /// The dictionary silently omits entries with a phone that the acoustic model does not have.
    private func checkPhones(
        of entries: [TranscriptionRequest.VocabularyEntry]
    ) throws(RecognitionError) {
        let names = Dictionary(ownWords.map { ($1, $0) }) { first, _ in first }
        for entry in entries where entry.pronunciation != nil && !entry.isOptional {
            let phones = ps_lookup_word(decoder, names[entry.word] ?? entry.word)
            defer { free(phones) }
            if phones == nil {
                throw RecognitionError(
                    .invalidOptions,
                    "The pronunciation of '\(entry.word)' has a phone that the model does not know.")
            }
        }
    }
}
