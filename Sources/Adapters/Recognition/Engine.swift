public import DictationCore

/// A kind of speech recogniser, such as PocketSphinx.
public protocol Engine: Sendable {
    /// The name in `Start`'s option `engine` and in the details of a final text: `pocketsphinx`, `scripted`.
    var name: String { get }
    /// BCP 47 tags of the installed models, the default first. Empty if none is installed.
    var languages: [String] { get }
    /// Whether it writes words for sounds without a voice. They are dropped.
    var needsVoice: Bool { get }
    /// The language of the model that recognises a language: one of ``languages``. Nil if none does.
    func model(for language: String) -> String?

    /// Checks at once whether a recogniser can be built: the model is installed, the language is one of ``languages``,
    /// grammar and vocabulary are not too large. The error says what to install or to change.
    func check(_ settings: RecognizerSettings) throws(RecognitionError)

    /// Checks what takes longer, without loading a recogniser: the grammar is valid and every word has a pronunciation.
    /// Called on its own thread, before the session begins, if there is a grammar or a vocabulary.
    /// - Returns: the settings, with pronunciations of words that had none and need one.
    func examine(_ settings: RecognizerSettings) throws(RecognitionError) -> RecognizerSettings

    /// Whether a word in lower case is in the dictionary of a language; nil if that is not known at once.
    func ordinaryWords(of language: String) -> (@Sendable (String) -> Bool)?

    /// The settings that a recogniser must be loaded anew for. What this leaves out is changed between segments by
    /// ``Recognizer/use(_:)``.
    func loadSettings(_ settings: RecognizerSettings) -> RecognizerSettings

    /// Loads a recogniser, which may take long. Called on the decoder's thread, where the recogniser stays.
    func makeRecognizer(_ settings: RecognizerSettings) throws(RecognitionError) -> any Recognizer
}

/// One decoder, confined to the thread that made it. It gets segments one after the other: begin, audio, finish.
public protocol Recognizer: AnyObject {
    /// Sets the speaker and microphone of the next segments, for adaptation. Between segments only.
    func adapt(to acoustics: AcousticKey)

    /// Replaces the vocabulary. Between segments only; may take a tenth of a second. After an error the recogniser must
    /// not be used any more.
    func use(_ vocabulary: [TranscriptionRequest.VocabularyEntry]) throws(RecognitionError)

    func beginSegment() throws(RecognitionError)

    /// Decodes 16 kHz mono, as far as possible.
    func append(_ samples: ArraySlice<Int16>) throws(RecognitionError)

    /// The text of the unfinished segment, without words that are likely to change.
    func hypothesis() -> String

    /// Ends the segment. Times of the result count from the segment's first sample.
    /// - Parameter isAwaited: whether the text is awaited now. If not, finishing may take a second longer for a better
    ///   text.
    func finishSegment(isAwaited: () -> Bool) throws(RecognitionError) -> Segment

    /// Ends the segment without a result.
    func abandonSegment()

    /// Decodes a complete segment, without hypotheses.
    /// - Parameter isWanted: asked from time to time. If false, the result is ignored.
    func recognize(_ samples: [Int16], while isWanted: () -> Bool) throws(RecognitionError) -> Segment
}

extension Engine {
    public var needsVoice: Bool { false }

    public func model(for language: String) -> String? {
        LanguageTag.nearest(to: language, among: languages)
    }

    public func examine(_ settings: RecognizerSettings) throws(RecognitionError) -> RecognizerSettings {
        settings
    }

    public func loadSettings(_ settings: RecognizerSettings) -> RecognizerSettings { settings }

    public func ordinaryWords(of language: String) -> (@Sendable (String) -> Bool)? { nil }
}

extension Recognizer {
    public func use(_ vocabulary: [TranscriptionRequest.VocabularyEntry]) {}

    public func recognize(
        _ samples: [Int16], while isWanted: () -> Bool
    ) throws(RecognitionError) -> Segment {
        try beginSegment()
        try append(samples[...])
        return try finishSegment { true }
    }
}
