import DictationCore
import EventLoop
import Recognition

/// A session's audio path: from the microphone or a file, through the level meter, to the recogniser and the recorder.
@EventLoopActor
final class SessionSound {
    var transcriber: Transcriber? {
        didSet { if let transcriber { input?.feed(transcriber) } }
    }
    /// Incremented with each recogniser of the session.
    var generation = 0
    var recorder: SessionRecorder?
    private let input: AudioInput?
    private var meter: LevelMeter?

    init(input: AudioInput? = nil) {
        self.input = input
    }

    func measure(_ samples: [Int16], hasWaveform: Bool) -> [SoundLevel] {
        if meter == nil { meter = LevelMeter(hasWaveform: hasWaveform) }
        return meter?.take(samples) ?? []
    }

    func runInput(_ runs: Bool) {
        runs ? input?.resume() : input?.pause()
    }

    func close() {
        input?.cancel()
        transcriber?.close()
        recorder?.close()
    }
}
