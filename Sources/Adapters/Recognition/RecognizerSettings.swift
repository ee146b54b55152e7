public import DictationCore

/// The part of a request that its decoder must know. Sessions with equal settings share recognisers.
public struct RecognizerSettings: Hashable, Sendable {
    /// BCP 47; nil for the engine's default.
    public var language: String?
    /// JSGF. Only sentences of its first public rule are recognised.
    @ComparedByBytes public var grammar: String?
    public var vocabulary: [TranscriptionRequest.VocabularyEntry]
    /// The number of words that the recogniser has room for when the vocabulary changes between segments.
    var vocabularyRoom = 0

    /// The words that are spoken for marks.
    public var spokenMarks: [String] = []

    public init(
        language: String? = nil, grammar: String? = nil,
        vocabulary: [TranscriptionRequest.VocabularyEntry] = []
    ) {
        self.language = language
        self.grammar = grammar
        self.vocabulary = vocabulary
    }

    /// An empty pronunciation means the same as none.
    init(_ request: TranscriptionRequest) {
        let vocabulary = request.vocabulary.map { entry in
            TranscriptionRequest.VocabularyEntry(
                word: entry.word, pronunciation: entry.pronunciation.flatMap { $0.isEmpty ? nil : $0 },
                isOptional: entry.isOptional)
        }
        self.init(language: request.language, grammar: request.grammar, vocabulary: vocabulary)
        if grammar == nil { spokenMarks = request.spokenMarks }
    }
}
