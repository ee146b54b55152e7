/// What a session asks of a recogniser.
public struct TranscriptionOptions: Hashable, Sendable {
    /// A word to be added to those the model knows.
    public struct VocabularyWord: Hashable, Sendable {
        public var text: String
        /// In the engine's own alphabet: ARPAbet phones separated by spaces for PocketSphinx, as in
        /// `HH AH L OW`. Nil where the engine must know the word already.
        public var pronunciation: String?

        public init(_ text: String, pronunciation: String? = nil) {
            self.text = text
            self.pronunciation = pronunciation
        }
    }

    /// BCP 47, such as `en-US`. Nil is the engine's own default.
    public var language: String?
    /// JSGF: nothing but what it describes is recognised. Its first public rule is the one used.
    public var grammar: String?
    public var vocabulary: [VocabularyWord]
    /// Whether ``RecognitionEvent/hypothesis(_:_:)`` is told at all.
    public var partials: Bool
    /// Speech without a pause is cut after this many seconds, 5…60.
    public var segmentSeconds: Double
    /// Audio kept while decoding lags behind, in seconds; beyond it the oldest is lost and counted.
    public var keptSeconds: Double

    public static let segmentSecondsRange = 5.0...60.0

    public init(
        language: String? = nil, grammar: String? = nil, vocabulary: [VocabularyWord] = [],
        partials: Bool = true, segmentSeconds: Double = 15, keptSeconds: Double = 600
    ) {
        self.language = language
        self.grammar = grammar
        self.vocabulary = vocabulary
        self.partials = partials
        self.segmentSeconds = segmentSeconds
        self.keptSeconds = keptSeconds
    }

    /// What a recogniser is built with. Recognisers built with equal settings serve each other's sessions.
    var recognizerSettings: RecognizerSettings {
        RecognizerSettings(language: language, grammar: grammar, vocabulary: vocabulary)
    }
}

/// The part of ``TranscriptionOptions`` that a recogniser is built with.
public struct RecognizerSettings: Hashable, Sendable {
    public var language: String?
    public var grammar: String?
    public var vocabulary: [TranscriptionOptions.VocabularyWord]

    public init(
        language: String? = nil, grammar: String? = nil,
        vocabulary: [TranscriptionOptions.VocabularyWord] = []
    ) {
        self.language = language
        self.grammar = grammar
        self.vocabulary = vocabulary
    }
}
