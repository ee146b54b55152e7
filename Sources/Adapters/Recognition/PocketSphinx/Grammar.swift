import Glibc

extension GrammarGraph {
    /// The grammar as `fsg_model_read` reads it.
    ///
    /// - Parameter languageWeight: the exponent that the reader applies to probabilities, which ``Arc/weight`` has not.
    func sphinxText(languageWeight: Double) -> String {
        var text = "FSG_BEGIN grammar\nN \(stateCount)\nS \(start)\nF \(final)\n"
        for arc in arcs {
            // The reader refuses 0, which is what a very small probability is as a 32-bit float.
            let probability = max(Float(exp(arc.weight / languageWeight)), .leastNormalMagnitude)
            text += "T \(arc.from) \(arc.to) \(probability)"
            if let word = arc.word { text += " " + words[word].text }
            text += "\n"
        }
        return text + "FSG_END\n"
    }
}
