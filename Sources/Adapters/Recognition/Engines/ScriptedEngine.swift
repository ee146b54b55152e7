import DictationCore
import Glibc

/// Recognises tones: `t500` for 500 Hz. The text shows exactly and at once which audio arrived, without a model. For
/// tests of the system, chosen by configuration like any engine.
///
/// A word is a tone of at least 100 ms between 100 and 4000 Hz, named by its frequency rounded to 100 Hz.
public struct ScriptedEngine: Engine {
    /// Failures for tests.
    public struct Failures: Hashable, Sendable {
        /// Loading fails.
        public var loading = false
        /// A recogniser fails on this tone, in Hz, and so does every new one that decodes it again.
        public var onTone: Int?
        /// A recogniser fails once, after this many samples. A new one counts from 0.
        public var afterSamples: Int?

        public init(loading: Bool = false, onTone: Int? = nil, afterSamples: Int? = nil) {
            self.loading = loading
            self.onTone = onTone
            self.afterSamples = afterSamples
        }
    }

    /// The tone, in Hz, on which the engine of the service fails.
    public static let fatalTone = 3500

    public var failures: Failures
    /// Seconds that loading takes.
    public var loadSeconds: Double

    public init(failures: Failures = Failures(), loadSeconds: Double = 0) {
        self.failures = failures
        self.loadSeconds = loadSeconds
    }

    public var name: String { "scripted" }
    public var languages: [String] { ["en-US"] }

    public func check(_ settings: RecognizerSettings) throws(RecognitionError) {
        if let language = settings.language, model(for: language) == nil {
            throw RecognitionError(.unsupportedLanguage, "The scripted engine knows en-US alone.")
        }
    }

    public func makeRecognizer(_ settings: RecognizerSettings) throws(RecognitionError) -> any Recognizer {
        if loadSeconds > 0 { usleep(UInt32(loadSeconds * 1_000_000)) }
        if failures.loading {
            throw RecognitionError(.engineUnavailable, "The scripted engine was told not to load.")
        }
        return ScriptedRecognizer(failures: failures)
    }
}

private final class ScriptedRecognizer: Recognizer {
    private let failures: ScriptedEngine.Failures
    private var tones = ToneReader()
    private var heard = 0

    init(failures: ScriptedEngine.Failures) {
        self.failures = failures
    }

    func adapt(to acoustics: AcousticKey) {}

    func beginSegment() {
        tones = ToneReader()
    }

    func append(_ samples: ArraySlice<Int16>) throws(RecognitionError) {
        heard += samples.count
        tones.process(samples)
        let failsNow = failures.afterSamples.map { heard >= $0 } ?? false
        let isTone = failures.onTone.map { tone in tones.words.contains { $0.text == "t\(tone)" } } ?? false
        if failsNow || isTone {
            throw RecognitionError(.engineFailed, "The scripted engine was told to fail.")
        }
    }

    func hypothesis() -> String {
        tones.words.map(\.text).joined(separator: " ")
    }

    func finishSegment(isAwaited: () -> Bool) -> Segment {
        tones.finish()
        return Segment(text: hypothesis(), words: tones.words)
    }

    func abandonSegment() {}
}

/// Finds tones by counting zero crossings in windows of 20 ms.
private struct ToneReader {
    private static let window = 320
    /// Half a percent of full scale: silence and faint noise contain no tone.
    private static let loud = 160
    private static let windowsPerWord = 5

    private(set) var words: [Word] = []
    private var position = 0
    private var crossings = 0
    private var peak = 0
    private var wasNegative = false
    /// The present tone, and its length in windows.
    private var tone: Int?
    private var length = 0

    mutating func process(_ samples: ArraySlice<Int16>) {
        for sample in samples {
            let isNegative = sample < 0
            if isNegative != wasNegative { crossings += 1 }
            wasNegative = isNegative
            peak = max(peak, abs(Int(sample)))
            position += 1
            if position % Self.window == 0 { endWindow() }
        }
    }

    mutating func finish() {
        tone = nil
        length = 0
    }

    private mutating func endWindow() {
        defer {
            crossings = 0
            peak = 0
        }
        let frequency = (crossings * 25 + 50) / 100 * 100
        let heard = peak >= Self.loud && (100...4000).contains(frequency) ? frequency : nil
        if heard == tone {
            length += 1
        } else {
            tone = heard
            length = 1
        }
        guard let tone, length >= Self.windowsPerWord else { return }
        let start = Double(position - length * Self.window) / 16000
        if length == Self.windowsPerWord {
            words.append(Word("t\(tone)", start: start, end: 0, confidence: 1))
        }
        words[words.count - 1].end = Double(position) / 16000
    }
}
