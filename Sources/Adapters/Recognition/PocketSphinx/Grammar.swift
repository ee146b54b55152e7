import CPocketSphinx

extension GrammarGraph {
    /// A `fsg_model_t`, to be freed with `fsg_model_free`.
    ///
    /// - Parameter scale: an `logmath_t`, the decoder's.
    func model(_ scale: OpaquePointer, languageWeight: Float) -> UnsafeMutablePointer<fsg_model_t>? {
        guard let model = fsg_model_init("grammar", scale, languageWeight, Int32(stateCount)) else {
            return nil
        }
        model.pointee.start_state = Int32(start)
        model.pointee.final_state = Int32(final)
        let numbers = words.map { fsg_model_word_add(model, $0.text) }
        for arc in arcs {
            let from = Int32(arc.from)
            let to = Int32(arc.to)
            let weight = logmath_ln_to_log(scale, arc.weight)
            if let word = arc.word {
                fsg_model_trans_add(model, from, to, weight, numbers[word])
            } else {
                fsg_model_null_trans_add(model, from, to, weight)
            }
        }
        return model
    }
}
