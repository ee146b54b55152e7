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
    /// For the history; nil if it keeps no sound of the session.
    var blockSounds: BlockSounds?
    /// Nil if a recogniser is open or was.
    var waiting: WaitingSound?
    /// Sound flows into it.
    private(set) var isCapturing = false
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
        isCapturing = true
        // The session has begun.
        recorder?.begin()
        journal?.setFlowing(true)
        soundMeter = SoundMeter()
        resampler = captureRate == RecordingQuality.low.rate ? nil : Resampler(from: captureRate)
    }

    func endCapture() {
        isCapturing = false
        journal?.setFlowing(false)
    }

    /// Passes on sound that was recorded.
    func pass(_ samples: [Int16]) {
        blockSounds?.append(samples)
        transcription?.append(samples)
        journal?.append(samples)
    }

    func pass(_ command: TranscriptionCommand) {
        journal?.perform(command)
        guard let transcription else { return }
        switch command {
        case .cut: transcription.cut()
        case .acoustics(let key): transcription.acousticsChanged(to: key)
        case .endBlock(let block): transcription.endBlock(block)
        case .discardBlock(let block): transcription.discardBlock(block)
        }
    }

    /// The recogniser is open: passes on what has waited for it.
    func passWaiting() {
        guard let waiting = waiting.take() else { return }
        journal?.setFlowing(true)
        transcription?.expect(waiting.frames)
        for part in waiting.parts {
            switch part {
            case .samples(let samples): pass(samples)
            case .command(let command):
                pass(command)
                divideBlockSounds(at: command)
            }
        }
        if !isCapturing { journal?.setFlowing(false) }
    }

    private func divideBlockSounds(at command: TranscriptionCommand) {
        switch command {
        case .cut, .acoustics: break
        case .endBlock(let block): blockSounds?.end(block)
        case .discardBlock: blockSounds?.discard()
        }
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

    /// Divides what is recorded, and what is kept for the history.
    func perform(_ command: RecorderCommand) {
        recorder?.perform(command)
        switch command {
        case .endBlock(let block): blockSounds?.end(block)
        case .discardBlock: blockSounds?.discard()
        case .gap, .finish: break
        }
    }

    /// Where there is speech.
    func follow(_ event: RecognitionEvent) {
        switch event {
        case .speechBegan: blockSounds?.speechBegan()
        case .speechEnded: blockSounds?.speechEnded()
        default: break
        }
    }

    /// The sound of a block whose text is final; empty if none is kept.
    func takeSound(of block: BlockNumber) -> [Int16] { blockSounds?.take(block) ?? [] }

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
