public import DictationCore
import EventLoop
import Synchronization

/// The recogniser of one session. Audio and commands take effect in the order of the calls, and texts are reported in the
/// order of the audio. The caller's thread looks for speech; a decoder's thread decodes it. A decoder is leased while a
/// segment waits, and returned when none does: a session that is silent, paused or interrupted holds none.
///
/// ``RecognitionEvent/engineLost(_:message:)`` is the last event. The session then opens another one.
public final class Transcription: Sendable {
    /// How segments are assigned to decoders.
    enum Mode: Hashable, Sendable {
        /// One decoder decodes each segment while it is spoken.
        case live
        /// All audio is there already: several decoders decode whole segments at a time.
        case recorded
    }

    struct State {
        var front: SpeechFront
        var queue = SegmentQueue()
        /// The maximum number of frames of speech to keep.
        fileprivate var bound: Int
        fileprivate(set) var block: BlockNumber
        fileprivate(set) var acoustics: AcousticKey
        fileprivate(set) var framesIn = 0
        fileprivate(set) var isClosed = false
        fileprivate var lag = LagMeter()
        /// Leases that are requested or in use.
        var leases: [DecoderLease] = []
        /// Whether a decoder was loaded.
        var isReady = false
        /// Whether ``RecognitionEvent/queued`` was reported and ``RecognitionEvent/ready`` was not yet.
        var hasReportedQueued = false
        /// Whether an additional decoder was refused.
        var hasTooManyHelpers = false
        /// The preview's segments of the passage that is being decoded, with their blocks.
        fileprivate var previews: [(block: BlockNumber, segment: Segment)] = []
        /// Whether the preview engine failed on a part of the passage.
        fileprivate var missesPreview = false
        /// Whether the last hypothesis was that of speech.
        var showsHypothesis = false
        var hasPreviews: Bool { !previews.isEmpty || missesPreview }
        /// The decoder of a live session waits for more speech.
        var isDecoderWaiting = false
        /// Whether the engine in another process gets the sound while it is captured.
        var isLive = false
        /// The passage that it gets now.
        var open: OpenPassage?
        /// Whether somebody speaks.
        var isSpeaking = false
        /// Previews of passages that the engine does not answer for, and the numbers of their wishes.
        var runs: [PassageQueue.ID: Int] = [:]
    }

    struct OpenPassage {
        let id: PassageQueue.ID
        /// The position up to which the engine has its sound.
        var sentTo: Int
    }

    let mode: Mode
    let decoders: DecoderSource
    let state: Lock<State>
    let sink: @Sendable (RecognitionEvent) -> Void
    /// Nil if the decoders' text is final.
    let secondPass: SecondPass?
    private let hasPreview: Bool
    /// Wakes the decoder of a live session.
    let workSignal = WakeSignal()
    let roomSignal = WakeSignal()
    /// Frames of audio that are enough to keep the decoders busy.
    private static let bufferLimit: [Mode: Int] = [.live: 160_000, .recorded: 640_000]

    /// The number of transcriptions so far.
    private static let count = Atomic<UInt64>(0)

    /// Keeps audio at once, while a decoder is found or loaded.
    /// - Parameters:
    ///   - keptAudio: the maximum length of speech to keep.
    ///   - finalEngine: its text replaces the decoders' text.
    ///   - isOrdinary: whether a word in lower case is in the language's dictionary.
    ///   - events: may be called from several threads. It must return soon and must not call the transcription.
    init(
        _ request: TranscriptionRequest, from block: BlockNumber, keptAudio: Duration,
        on decoders: DecoderSource, finalEngine: FinalEngine? = nil,
        isOrdinary: @escaping @Sendable (String) -> Bool = { _ in true },
        events sink: @escaping @Sendable (RecognitionEvent) -> Void
    ) {
        mode = request.isRecorded ? .recorded : .live
        self.decoders = decoders
        self.sink = sink
        hasPreview = request.previewEngine != nil
        let front = SpeechFront(request, findsPassages: finalEngine != nil)
        state = Lock(
            State(
                front: front, bound: Int(keptAudio / .milliseconds(1)) * 16, block: block,
                // Until ``acousticsChanged(to:)``.
                acoustics: .once(Self.count.add(1, ordering: .relaxed).newValue)))
        secondPass = finalEngine.map { [roomSignal] engine in
            SecondPass(engine, request, isOrdinary: isOrdinary, sink: sink) { roomSignal.send() }
        }
        defer { leaseWhereNeeded() }
        guard let secondPass else { return }
        secondPass.whenWishesChange { [weak self] in
            _ = self?.change { _ in }
        }
        // The preview engine is not loaded before it is needed.
        if finalEngine?.kind.isLive ?? false {
            state.withLock { state in
                state.isLive = true
                state.isReady = true
            }
            sink(.ready)
        }
    }

    // MARK: Audio in

    /// All frames that were appended.
    public var framesIn: Int { state.withLock { $0.framesIn } }
    /// Frames of speech that are queued for decoding.
    public var framesWaiting: Int { state.withLock { $0.queue.waitingFrames } }

    /// Takes signed 16 bit mono at 16 kHz, belonging to the current block.
    /// - Returns: false if the recogniser failed or is closed and the samples were not taken.
    @discardableResult public func append(_ samples: [Int16]) -> Bool {
        change { state in
            state.framesIn += samples.count
            handle(state.front.process(samples), &state)
            sendSound(&state)
            guard mode == .live, state.queue.waitingFrames > state.bound else { return }
            // A quarter more than needed is dropped, so that one long part is lost and not a short one with each call.
            for loss in state.queue.dropOldest(keeping: state.bound / 4 * 3) {
                sink(.overrun(loss.block, frames: loss.frames))
            }
        }
    }

    /// So many more frames may wait: they come at once, and none of them is dropped.
    public func expect(_ frames: Int) { state.withLock { $0.bound += frames } }

    /// Takes sound of a session that is restored, up to a break, as ``append(_:)`` and ``cut()``.
    public func restore(_ samples: [Int16]) {
        expect(samples.count)
        append(samples)
        cut()
    }

    /// See ``TranscriptionCommand/cut``.
    public func cut() {
        _ = change { state in handle(state.front.flush(), &state) }
    }

    /// See ``TranscriptionCommand/acoustics(_:)``.
    public func acousticsChanged(to key: AcousticKey) {
        _ = change { state in
            guard key != state.acoustics else { return }
            handle(state.front.flush(), &state)
            state.acoustics = key
        }
    }

    /// See ``TranscriptionCommand/endBlock(_:)``.
    public func endBlock(_ block: BlockNumber) {
        _ = change { state in
            handle(state.front.flush(), &state)
            if state.isLive {
                secondPass?.endBlock(block, duration: Self.seconds(state.front.position))
            } else {
                state.queue.endBlock(block, frames: state.front.position)
            }
            beginBlock(block + 1, &state)
        }
    }

    /// See ``TranscriptionCommand/discardBlock(_:)``.
    public func discardBlock(_ block: BlockNumber) {
        _ = change { state in
            state.queue.discard(block)
            state.previews.removeAll { $0.block == block }
            state.missesPreview = false
            secondPass?.discard(block)
            beginBlock(block + 1, &state)
        }
        roomSignal.send()
    }

    /// Blocks until the audio queue has room or the recogniser is closed. For the thread that reads a file or pipe; the
    /// other calls return at once.
    public func waitForRoom() {
        while state.withLock({ !$0.isClosed && isFull($0) }) { roomSignal.wait() }
    }

    /// Discards everything and frees the decoder. No event follows. A transcription lasts until it is closed or lost.
    public func close() {
        end { _ in }
    }

    /// Reports the error as the last event.
    func lose(_ error: RecognitionError) {
        end { state in
            for loss in state.queue.dropAll() { sink(.overrun(loss.block, frames: loss.frames)) }
            sink(.engineLost(error.loss, message: error.message))
        }
    }

    private func end(_ lastEvents: (inout State) -> Void) {
        let leases = state.withLock { state in
            if !state.isClosed { lastEvents(&state) }
            state.isClosed = true
            _ = state.queue.dropAll()
            defer { state.leases = [] }
            return state.leases
        }
        secondPass?.close()
        for lease in leases { decoders.pool.cancel(lease) }
        workSignal.send()
        roomSignal.send()
    }

    /// Changes the queue, and wakes or requests a decoder if needed.
    /// - Returns: false if it is closed.
    func change(_ body: (inout State) -> Void) -> Bool {
        let (isTaken, wakesDecoder) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            body(&state)
            sendResults(&state)
            followWishes(&state)
            defer { state.isDecoderWaiting = false }
            return (true, state.isDecoderWaiting)
        }
        if wakesDecoder { workSignal.send() }
        if isTaken { leaseWhereNeeded() }
        return isTaken
    }

    /// Reports the results so far, in the order of the audio.
    func sendResults(_ state: inout State) {
        for result in state.queue.takeResults() {
            if let secondPass {
                pass(result, to: secondPass, &state)
                continue
            }
            switch result {
            case .segment(let block, .segment(let segment)): sink(.segment(block, segment))
            case .segment(let block, .noise(let segment)):
                sink(.noise(block))
                sink(.segment(block, segment))
            case .segment(let block, .failed(let message)): sink(.segmentFailed(block, message: message))
            case .endOfPassage, .preview, .endOfPreview: break
            case .endOfBlock(let block, let frames):
                sink(.blockEnded(block, duration: Self.seconds(frames)))
            }
        }
        if let change = state.lag.measure(Self.seconds(state.queue.waitingFrames)) { sink(.lag(change)) }
    }

    /// With a final engine, the decoders' text is a preview until their passage is final.
    private func pass(_ result: SegmentQueue.Result, to secondPass: SecondPass, _ state: inout State) {
        switch result {
        case .segment(let block, .segment(let segment)), .segment(let block, .noise(let segment)):
            guard hasPreview else { return }
            state.previews.append((block, segment))
            sink(.preview(block, segment))
        case .segment(let block, .failed):
            state.missesPreview = true
            sink(.hypothesis(block, ""))
        case .endOfPassage(let block, let sound):
            secondPass.add(
                Passage(
                    block: block, samples: sound.samples, start: Self.seconds(sound.cut.start),
                    end: Self.seconds(sound.cut.end), overlaps: sound.cut.overlap > 0,
                    isCut: sound.cut.isInSpeech, preview: state.previews.map(\.segment),
                    hasPreview: hasPreview && !state.missesPreview, voice: sound.voice))
            state.previews = []
            state.missesPreview = false
        case .endOfBlock(let block, let frames):
            secondPass.endBlock(block, duration: Self.seconds(frames))
        case .preview(let run, .segment(let segment)), .preview(let run, .noise(let segment)):
            secondPass.previewed(run, .segment(segment))
        case .preview(let run, .failed):
            secondPass.previewed(run, .failed)
        case .endOfPreview(let run):
            secondPass.previewed(run, .complete)
        }
    }

    static func seconds(_ frames: Int) -> Double { Double(frames) / 16000 }

    private func isFull(_ state: State) -> Bool {
        let frames = mode == .live ? state.queue.waitingFrames : state.queue.wholeFrames
        // A file or pipe is not read further while its passages wait.
        let waitsForPassages = secondPass.map { $0.openCount > Self.fewPassages } ?? false
        return waitsForPassages || frames > Self.bufferLimit[mode] ?? 0
    }

    private static let fewPassages = 4

    private func beginBlock(_ block: BlockNumber, _ state: inout State) {
        state.front.restart()
        state.block = block
        state.open = nil
        state.isSpeaking = false
    }

    private func handle(_ events: [SpeechFront.Event], _ state: inout State) {
        let block = state.block
        for event in events {
            switch event {
            case .speechBegan(let frame):
                sink(.speechBegan(block, at: Self.seconds(frame)))
                state.isSpeaking = true
                beginSegment(at: frame, &state)
            case .speech(let samples, let voice):
                if isDecoded(state) { state.queue.append(samples, voice: voice) }
            case .cut(let frame, let passage):
                if isDecoded(state) { state.queue.end(at: frame, isCut: true) }
                if let passage { endPassage(passage, &state) }
                // In a passage of its own, the segment begins with it.
                if passage == nil || !state.isLive { beginSegment(at: frame, &state) }
            case .passageBegan(let frame, let overlaps):
                beginPassage(at: frame, overlaps: overlaps, &state)
            case .speechEnded(let frame):
                sink(.speechEnded(block, at: Self.seconds(frame)))
                state.isSpeaking = false
                if isDecoded(state) { state.queue.end(at: frame, isCut: false) }
            case .passage(let passage):
                endPassage(passage, &state)
            case .silenceReached:
                sink(.silenceReached(block))
            }
        }
    }
}

/// How many seconds decoding lags behind. Returns them after a change of a second or more.
struct LagMeter {
    private var reported = 0.0

    mutating func measure(_ seconds: Double) -> Double? {
        guard abs(seconds - reported) >= 1 || (seconds == 0 && reported > 0) else { return nil }
        reported = seconds
        return seconds
    }
}
