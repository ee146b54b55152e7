import CPocketSphinx
import DictationCore
import Glibc

/// A `ps_decoder_t` and what belongs to it. Cepstra go in: the front end and the cepstral mean are the
/// caller's (``FrontEnd``, ``CepstralMean``).
final class SphinxDecoder {
    let pointer: OpaquePointer
    /// The model's own mean, `-cmninit` in its `feat.params`.
    let modelMean: CepstralMean

    init(_ model: PocketSphinxModel) throws(RecognitionError) {
        dictation_sphinx_keep_errors()
        dictation_sphinx_forget_error()
        let arguments = [
            "pocketsphinx", "-hmm", model.acoustic, "-lm", model.language, "-dict", model.dictionary,
            "-fwdflat", "no", "-bestpath", "yes",
        ]
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

    func add(_ vocabulary: [TranscriptionRequest.VocabularyEntry]) throws(RecognitionError) {
        for (index, word) in vocabulary.enumerated() {
            let isLast = index == vocabulary.count - 1
            guard let pronunciation = word.pronunciation else {
                guard let known = ps_lookup_word(pointer, word.word) else {
                    throw RecognitionError(
                        .invalidOptions,
                        "'\(word.word)' is not in the dictionary; give its pronunciation as well.")
                }
                free(known)
                continue
            }
            dictation_sphinx_forget_error()
            // Updating the search costs 75 ms: once, with the last.
            guard ps_add_word(pointer, word.word, pronunciation, isLast ? 1 : 0) >= 0 else {
                throw RecognitionError(
                    .invalidOptions, "'\(word.word)' cannot be added\(Self.reason()).")
            }
        }
    }

    func use(grammar: String) throws(RecognitionError) {
        dictation_sphinx_forget_error()
        guard ps_set_jsgf_string(pointer, "grammar", grammar) == 0,
            ps_set_search(pointer, "grammar") == 0
        else {
            throw RecognitionError(.invalidOptions, "The grammar cannot be used\(Self.reason()).")
        }
    }
}
