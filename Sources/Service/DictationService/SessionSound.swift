import DictationCore
import Recognition

/// The way of a session's sound: from the microphone or a file, past the meter, to the recogniser.
final class SessionSound {
    var transcriber: (any Transcribing)? {
        didSet { if let transcriber { input?.feed(transcriber) } }
    }
    /// Grows with each recogniser of the session.
    var generation = 0
    private let input: AudioInput?
    private var meter = LevelMeter()

    init(input: AudioInput? = nil) {
        self.input = input
    }

    func measure(_ samples: [Int16]) -> [LevelMeter.Level] { meter.take(samples) }

    func runInput(_ runs: Bool) {
        runs ? input?.resume() : input?.pause()
    }

    func close() {
        input?.cancel()
        transcriber?.close()
    }
}
