import DictationCore

/// The preview engine for languages that no engine in this process supports. It finds the ends of segments and no words.
struct SilentEngine: Engine {
    var name: String { "none" }
    var languages: [String] { [] }

    func check(_ settings: RecognizerSettings) {}

    func makeRecognizer(_ settings: RecognizerSettings) -> any Recognizer { SilentRecognizer() }
}

private final class SilentRecognizer: Recognizer {
    func adapt(to acoustics: AcousticKey) {}
    func beginSegment() {}
    func append(_ samples: ArraySlice<Int16>) {}
    func hypothesis() -> String { "" }
    func finishSegment(isAwaited: () -> Bool) -> Segment { Segment(text: "") }
    func abandonSegment() {}
}
