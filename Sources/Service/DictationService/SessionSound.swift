import DictationCore
import EventLoop
import Recognition

/// A session's audio path: from the microphone or a file, through the level meter, to the recogniser and the recorder.
@EventLoopActor
final class SessionSound {
    private(set) var transcriber: Transcriber? {
        didSet { if let transcriber { input?.feed(transcriber) } }
    }
    /// Incremented with each recogniser of the session.
    private var generation = 0
    var recorder: SessionRecorder?
    private let input: AudioInput?
    private var meter: LevelMeter?

    init(input: AudioInput? = nil) {
        self.input = input
    }

    /// Replaces the recogniser. What the replaced one has queued on the loop is dropped.
    /// - Parameters:
    ///   - open: opens a recogniser that may call its argument from any thread.
    ///   - events: called later, on the loop.
    func recognise(
        by open: (@escaping @Sendable (RecognitionEvent) -> Void) -> Transcriber,
        events: @escaping @EventLoopActor (RecognitionEvent) -> Void
    ) {
        transcriber?.close()
        generation += 1
        let generation = generation
        transcriber = open { [weak self] event in
            EventLoopActor.execute { [weak self] in
                if self?.generation == generation { events(event) }
            }
        }
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
