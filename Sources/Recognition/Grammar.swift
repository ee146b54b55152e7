import CPocketSphinx

/// Grammars come from clients: what they may hold is checked before PocketSphinx sees them.
enum Grammar {
    /// Room for any grammar of commands; the parser's recursion stays shallow.
    static let longest = 64 * 1024

    static func check(_ text: String) throws(RecognitionError) {
        guard text.utf8.count <= longest, !text.utf8.contains(0) else {
            throw RecognitionError(.invalidOptions, "A grammar may have at most 64 KiB of text.")
        }
        // The parser's scanner copies what it does not know to the standard output.
        guard text.hasPrefix("#JSGF ") else {
            throw RecognitionError(.invalidOptions, "A grammar must begin with '#JSGF V1.0;'.")
        }
        // An import would make the parser open files.
        guard !text.contains("import") else {
            throw RecognitionError(.invalidOptions, "A grammar may not import others.")
        }
        dictation_sphinx_keep_errors()
        dictation_sphinx_forget_error()
        guard let grammar = jsgf_parse_string(text, nil) else {
            throw RecognitionError(
                .invalidOptions, "The grammar is not valid JSGF\(SphinxDecoder.reason()).")
        }
        defer { jsgf_grammar_free(grammar) }
        guard jsgf_get_public_rule(grammar) != nil else {
            throw RecognitionError(.invalidOptions, "The grammar has no public rule.")
        }
    }
}
