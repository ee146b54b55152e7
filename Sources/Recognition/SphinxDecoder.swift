import CPocketSphinx
import DictationCore
import Glibc

/// A `ps_decoder_t` and what belongs to it. Cepstra go in: the front end and the cepstral mean are the
/// caller's (``FrontEnd``, ``CepstralMean``).
final class SphinxDecoder {
    let pointer: OpaquePointer
    /// The model's own mean, `-cmninit` in its `feat.params`.
    let modelMean: CepstralMean

    init(_ model: PocketSphinxModel, _ settings: RecognizerSettings) throws(RecognitionError) {
        dictation_sphinx_keep_errors()
        dictation_sphinx_forget_error()
        // At most 5000 HMMs a frame: the same words in a quarter less time, see packaging/bench-results.md.
        var arguments = [
            "pocketsphinx", "-hmm", model.acoustic, "-fwdflat", "no", "-bestpath", "yes", "-maxhmmpf", "5000",
        ]
        // A grammar may use any word, and no language model.
        if settings.grammar != nil { arguments += ["-dict", model.dictionary] }
        guard let configuration = Self.configuration(arguments) else {
            throw RecognitionError(
                .engineUnavailable, "PocketSphinx refuses its configuration\(Self.reason()).")
        }
        defer { cmd_ln_free_r(configuration) }
        guard let decoder = ps_init(configuration) else {
            throw RecognitionError(
                .engineUnavailable, "PocketSphinx cannot load the model in \(model.folder)\(Self.reason()).")
        }
        pointer = decoder
        modelMean = CepstralMean(parsing: cmd_ln_str_r(configuration, "-cmninit").map { String(cString: $0) })
        // The model's feat.params ask for normalisation over what the decoder heard before; the mean is
        // taken off before the decoder sees the cepstra.
        ps_get_feat(decoder).pointee.cmn = CMN_NONE
        if let grammar = settings.grammar {
            try add(settings.vocabulary, [:])
            try use(grammar: grammar)
        } else {
            try useLanguage(of: model, settings.vocabulary)
        }
    }

    deinit { ps_free(pointer) }

    /// The calling thread's last error, as ": …".
    static func reason() -> String {
        let message = String(cString: dictation_sphinx_last_error())
        return message.isEmpty ? "" : ": " + message
    }

    private static func configuration(_ arguments: [String]) -> OpaquePointer? {
        // The parsed configuration keeps copies.
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { pointers.forEach { free($0) } }
        return cmd_ln_parse_r(nil, ps_args(), Int32(pointers.count), &pointers, 1)
    }

    private func useLanguage(
        of model: PocketSphinxModel, _ vocabulary: [TranscriptionRequest.VocabularyEntry]
    ) throws(RecognitionError) {
        dictation_sphinx_forget_error()
        guard
            let language = ngram_model_read(
                ps_get_config(pointer), model.language, NGRAM_AUTO, ps_get_logmath(pointer))
        else {
            throw RecognitionError(
                .engineUnavailable, "PocketSphinx cannot load \(model.language)\(Self.reason()).")
        }
        defer { ngram_model_free(language) }
        let dictionary = try SphinxDictionary(
            model.dictionary, for: language, wanted: Set(vocabulary.map(\.word)))
        guard ps_load_dict(pointer, dictionary.path, nil, nil) == 0,
            ps_set_lm(pointer, "language", language) == 0, ps_set_search(pointer, "language") == 0
        else {
            throw RecognitionError(
                .engineUnavailable, "PocketSphinx cannot use \(model.dictionary)\(Self.reason()).")
        }
        try add(vocabulary, dictionary.pronunciations)
    }

    /// - Parameter pronunciations: of words that are not in use yet.
    private func add(
        _ vocabulary: [TranscriptionRequest.VocabularyEntry], _ pronunciations: [String: String]
    ) throws(RecognitionError) {
        let unused = vocabulary.filter { $0.pronunciation != nil || !isInUse($0.word) }
        for (index, entry) in unused.enumerated() {
            guard let pronunciation = entry.pronunciation ?? pronunciations[entry.word] else {
                throw RecognitionError(
                    .invalidOptions,
                    "'\(entry.word)' is not in the dictionary; give its pronunciation as well.")
            }
            dictation_sphinx_forget_error()
            // Updating the search costs 75 ms: once, with the last.
            let isLast = index == unused.count - 1
            guard ps_add_word(pointer, entry.word, pronunciation, isLast ? 1 : 0) >= 0 else {
                throw RecognitionError(
                    .invalidOptions, "'\(entry.word)' cannot be added\(Self.reason()).")
            }
        }
    }

    private func isInUse(_ word: String) -> Bool {
        let pronunciation = ps_lookup_word(pointer, word)
        free(pronunciation)
        return pronunciation != nil
    }

    private func use(grammar: String) throws(RecognitionError) {
        dictation_sphinx_forget_error()
        guard ps_set_jsgf_string(pointer, "grammar", grammar) == 0,
            ps_set_search(pointer, "grammar") == 0
        else {
            throw RecognitionError(.invalidOptions, "The grammar cannot be used\(Self.reason()).")
        }
    }
}
