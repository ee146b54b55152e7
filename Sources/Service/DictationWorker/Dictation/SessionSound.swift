import DictationBus
import DictationCore
import EventLoop
import Recognition

/// A session's audio path: from the microphone or a file, through the level meter, to the recogniser and the recorder.
@EventLoopActor
final class SessionSound {
    private(set) var transcription: Transcription? {
        didSet { if let transcription { input?.feed(transcription) } }
    }
    /// Incremented with each recogniser of the session.
    private var generation = 0
    var recorder: SessionRecorder?
    var journal: SessionJournal?
    private let input: AudioInput?
    private var meter: LevelMeter?
    private var soundMeter = SoundMeter()
    /// From the recording's rate to the recogniser's; nil if they are the same.
    private var resampler: Resampler?

    init(input: AudioInput? = nil) {
        self.input = input
    }

    /// Whether a recogniser was opened.
    var hasBegun: Bool { generation > 0 }

    /// Replaces the recogniser. What the replaced one has queued on the loop is dropped.
    /// - Parameters:
    ///   - open: opens a recogniser that may call its argument from any thread.
    ///   - events: called later, on the loop.
    func recognise(
        by open: (@escaping @Sendable (RecognitionEvent) -> Void) throws(RecognitionError) -> Transcription,
        events: @escaping @EventLoopActor (RecognitionEvent) -> Void
    ) {
        transcription?.close()
        generation += 1
        let generation = generation
        let report: @Sendable (RecognitionEvent) -> Void = { [weak self] event in
            EventLoopActor.execute { [weak self] in
                if self?.generation == generation { events(event) }
            }
        }
        do throws(RecognitionError) {
            transcription = try open(report)
        } catch {
            transcription = nil
            report(.engineLost(error.loss, message: error.message))
        }
    }

    /// The rate to capture at. The sound that is recognised is made from that of the recording, so that both have the same
    /// gaps and losses and are aligned to the sample.
    var captureRate: Int { recorder?.rate ?? RecordingQuality.low.rate }

    /// Sound of another stream follows.
    func beginCapture() {
        soundMeter = SoundMeter()
        resampler = captureRate == RecordingQuality.low.rate ? nil : Resampler(from: captureRate)
    }

    /// Records captured sound.
    /// - Returns: the sound to recognise.
    func record(_ samples: [Int16]) -> [Int16] {
        recorder?.append(samples)
        return resampler?.process(samples) ?? samples
    }

    func measure(_ samples: [Int16], hasWaveform: Bool) -> [SoundLevel] {
        if meter == nil { meter = LevelMeter(hasWaveform: hasWaveform) }
        return meter?.measure(samples) ?? []
    }

    /// What captured sound shows of the microphone, in complete parts.
    func judge(_ samples: [Int16]) -> [SoundMeasure] { soundMeter.measure(samples) }

    func runInput(_ runs: Bool) {
        runs ? input?.resume() : input?.pause()
    }

    func close() {
        input?.cancel()
        transcription?.close()
        recorder?.close()
        journal?.close()
    }

    /// As ``close()``, but what is not committed stays in the journal.
    func leave() {
        input?.cancel()
        transcription?.close()
        recorder?.close()
    }
}
