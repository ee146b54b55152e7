public import DictationCore

/// A kind of speech recogniser: PocketSphinx, the scripted one, or another that plugs in.
public protocol Engine: Sendable {
    /// As in `Start`'s option `engine` and in the details of a final text: `pocketsphinx`, `scripted`.
    var name: String { get }
    /// BCP 47 tags of what it recognises here, the default first. Empty where no model is installed.
    var languages: [String] { get }

    /// Looks, at once, whether a recogniser can be built: the model is installed, the language is one of
    /// ``languages``, grammar and vocabulary are not too large. The error says what to install or to change.
    func check(_ settings: RecognizerSettings) throws(RecognitionError)

    /// Looks at what takes longer, without loading a recogniser: that the grammar is valid and every word can be said.
    /// Called on a thread of its own, before the session begins, where there is a grammar or a vocabulary.
    /// - Returns: the settings, with pronunciations of words that had none and need one.
    func examine(_ settings: RecognizerSettings) throws(RecognitionError) -> RecognizerSettings

    /// The settings that a recogniser must be loaded anew for. What this leaves out is changed between segments by
    /// ``Recognizer/use(_:)``.
    func loadSettings(_ settings: RecognizerSettings) -> RecognizerSettings

    /// Loads a recogniser; may take long. Called on the decoder's thread, where the recogniser stays.
    func makeRecognizer(_ settings: RecognizerSettings) throws(RecognitionError) -> any Recognizer
}

/// One decoder. It is confined to the thread it was made on, and is told segments one after the other:
/// begin, audio, finish.
public protocol Recognizer: AnyObject {
    /// Names whose voice and microphone come next, for what the recogniser learns about them. Between
    /// segments only.
    func adapt(to acoustics: AcousticKey)

    /// Replaces the vocabulary. Between segments only; may take a tenth of a second. After an error the recogniser must
    /// not be used any more.
    func use(_ vocabulary: [TranscriptionRequest.VocabularyEntry]) throws(RecognitionError)

    func beginSegment() throws(RecognitionError)

    /// 16 kHz mono. Decodes what can be decoded already.
    func append(_ samples: ArraySlice<Int16>) throws(RecognitionError)

    /// What the unfinished segment seems to say, less what is likely to change.
    func hypothesis() -> String

    /// Ends the segment. Times of the result count from the segment's first sample.
    /// - Parameter isAwaited: whether somebody waits for the text by now; as long as not, it may take a second to
    ///   become better.
    func finishSegment(isAwaited: () -> Bool) throws(RecognitionError) -> Segment

    /// Ends the segment without a result.
    func abandonSegment()

    /// A segment that is all there: nobody wants to read along.
    /// - Parameter isWanted: asked every now and then; the text of what nobody wants is worth nothing.
    func recognize(_ samples: [Int16], while isWanted: () -> Bool) throws(RecognitionError) -> Segment
}

extension Engine {
    public func examine(_ settings: RecognizerSettings) throws(RecognitionError) -> RecognizerSettings {
        settings
    }

    public func loadSettings(_ settings: RecognizerSettings) -> RecognizerSettings { settings }
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
