import DictationCore
import Dispatch
import EventLoop

@testable import Recognition

/// The scripted engine, held up until ``release()``.
final class HeldEngine: Engine {
    enum Place {
        /// While it loads a recogniser,
        case loading
        /// or when a recogniser gets sound.
        case sound
    }

    private let place: Place
    private let engine: ScriptedEngine
    private let atWork = Lock(false)
    private let released = DispatchSemaphore(value: 0)

    init(at place: Place, _ engine: ScriptedEngine = ScriptedEngine()) {
        self.place = place
        self.engine = engine
    }

    /// Whether it has been held up.
    var isAtWork: Bool { atWork.withLock { $0 } }
    var name: String { engine.name }
    var languages: [String] { engine.languages }

    func check(_ settings: RecognizerSettings) throws(RecognitionError) { try engine.check(settings) }

    func makeRecognizer(_ settings: RecognizerSettings) throws(RecognitionError) -> any Recognizer {
        if place == .loading { hold() }
        let recognizer = try engine.makeRecognizer(settings)
        return place == .sound ? HeldRecognizer(recognizer, of: self) : recognizer
    }

    func release() { released.signal() }

    fileprivate func hold() {
        atWork.withLock { $0 = true }
        released.wait()
        released.signal()
    }
}

private final class HeldRecognizer: Recognizer {
    private let recognizer: any Recognizer
    private let engine: HeldEngine

    init(_ recognizer: any Recognizer, of engine: HeldEngine) {
        self.recognizer = recognizer
        self.engine = engine
    }

    func adapt(to acoustics: AcousticKey) { recognizer.adapt(to: acoustics) }

    func beginSegment() throws(RecognitionError) { try recognizer.beginSegment() }

    func append(_ samples: ArraySlice<Int16>) throws(RecognitionError) {
        engine.hold()
        try recognizer.append(samples)
    }

    func hypothesis() -> String { recognizer.hypothesis() }

    func finishSegment(isAwaited: () -> Bool) throws(RecognitionError) -> Segment {
        try recognizer.finishSegment(isAwaited: isAwaited)
    }

    func abandonSegment() { recognizer.abandonSegment() }
}
