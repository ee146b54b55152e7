/// A spoken mark that an engine distinguished from the same words by context: `\full_stop` in its text.
public enum SpokenMark {
    /// The token that an engine writes for the mark with this spoken phrase.
    public static func token(for phrase: String) -> String {
        "\\" + phrase.split(separator: " ").joined(separator: "_")
    }

    /// The spoken phrase of a token; nil for other words.
    static func phrase(of token: Substring) -> String? {
        guard token.utf8.first == UInt8(ascii: "\\"), token.utf8.count > 1 else { return nil }
        return String(token.dropFirst().map { $0 == "_" ? " " : $0 })
    }

    /// An engine's text with the words that were spoken instead of tokens.
    public static func words(of text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        return text.split(separator: " ").map { phrase(of: $0) ?? String($0) }.joined(separator: " ")
    }
}
