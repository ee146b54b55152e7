public import DictationCore

/// What a recogniser is built with: the part of a request that its decoder must know. Recognisers built with
/// equal settings serve each other's sessions.
public struct RecognizerSettings: Hashable, Sendable {
    /// BCP 47. Nil is the engine's own default.
    public var language: String?
    /// JSGF: nothing but what its first public rule describes is recognised.
    @ComparedByBytes public var grammar: String?
    public var vocabulary: [TranscriptionRequest.VocabularyEntry]
    /// Words that the recogniser has room for when the vocabulary is changed between segments.
    var vocabularyRoom = 0

    /// What is said for marks.
    public var spokenMarks: [String] = []

    public init(
        language: String? = nil, grammar: String? = nil,
        vocabulary: [TranscriptionRequest.VocabularyEntry] = []
    ) {
        self.language = language
        self.grammar = grammar
        self.vocabulary = vocabulary
    }

    /// An empty pronunciation asks for one to be made, as none does.
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
