public import DictationCore
public import Yams

/// The key `words` of dictation.yaml: the user's own words.
public enum WordList {
    private static let limit = 1000

    /// - Parameter node: the value of the key.
    /// - Returns: the words, each optional, and their lines.
    public static func entries(
        _ node: Node, file: String
    ) throws(LanguageFileError) -> [(entry: TranscriptionRequest.VocabularyEntry, line: Int?)] {
        func wrong(_ node: Node, _ expected: String) -> LanguageFileError {
            LanguageFileError(file: file, line: node.mark?.line, message: "'words' must be \(expected)")
        }
        guard let sequence = node.sequence, sequence.count <= limit else {
            throw wrong(node, "a list of at most \(limit) words")
        }
        var entries: [(entry: TranscriptionRequest.VocabularyEntry, line: Int?)] = []
        for item in sequence {
            let pair = item.mapping.flatMap { $0.count == 1 ? $0.first : nil }
            guard let word = (pair?.key ?? item).scalar?.string, pair == nil || pair?.value.scalar != nil
            else { throw wrong(item, "words, or a word and what it sounds like") }
            let entry = TranscriptionRequest.VocabularyEntry(
                word: word, pronunciation: pair?.value.scalar?.string, isOptional: true)
            entries.append((entry, item.mark?.line))
        }
        return entries
    }
}
