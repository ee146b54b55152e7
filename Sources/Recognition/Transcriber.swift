public import DictationCore
import Synchronization

/// The recogniser of one session: audio and marks go in without waiting, events come out in the order of
/// the audio, and everything between happens on the decoder's own thread.
public final class Transcriber: Transcribing {
    private let inbox: Inbox
    private let outlet: EventOutlet
    private let samplesHeard = Atomic(0)

    /// Begins: a decoder is found or loaded while audio is kept already.
    ///
    /// - Parameters:
    ///   - firstBlock: the number of the block that begins now: 1, or where another transcriber left off.
    ///   - sink: is told events one at a time, on the decoder's thread. It must return soon and must not
    ///     call the transcriber.
    /// - Throws: where it is known at once that this engine cannot recognise this here.
    public init(
        engine: any Engine, options: TranscriptionOptions = TranscriptionOptions(),
        acoustics: AcousticKey = AcousticKey(), firstBlock: BlockNumber = 1, pool: DecoderPool,
        sink: @escaping @Sendable (RecognitionEvent) -> Void
    ) throws(RecognitionError) {
        guard TranscriptionOptions.segmentSecondsRange.contains(options.segmentSeconds) else {
            throw RecognitionError(.invalidOptions, "segment-seconds must be 5 to 60.")
        }
        try engine.check(options.recognizerSettings)
        let inbox = Inbox(bound: Int(options.keptSeconds * 16000))
        let outlet = EventOutlet(sink)
        self.inbox = inbox
        self.outlet = outlet
        inbox.put(.acoustics(acoustics))
        try pool.run(engine, options.recognizerSettings) { slot in
            var loop = TranscriptionLoop(
                inbox: inbox, outlet: outlet, slot: slot, options: options, firstBlock: firstBlock)
            loop.run()
        }
    }

    deinit { close() }

    /// Frames given to the speech gate or waiting for it, of all blocks.
    public var samplesIn: Int { samplesHeard.load(ordering: .relaxed) }

    /// Seconds of audio that wait to be decoded. A reader that is faster than the decoder waits for it to
    /// shrink.
    public var backlog: Double { Double(inbox.keptFrames) / 16000 }

    public func append(_ samples: [Int16]) {
        samplesHeard.wrappingAdd(samples.count, ordering: .relaxed)
        inbox.put(samples)
    }

    public func cut() {
        inbox.put(.cut)
    }

    /// What is appended from here on comes from another microphone: what was learned about the one before
    /// is set aside for its return.
    public func acousticsChanged(to key: AcousticKey) {
        inbox.put(.acoustics(key))
    }

    public func endBlock(_ block: BlockNumber) {
        inbox.put(.endBlock(block))
    }

    public func discardBlock(_ block: BlockNumber) {
        outlet.discard(block)
        inbox.put(.discardBlock(block))
    }

    public func close() {
        outlet.close()
        inbox.put(.close)
    }
}

/// Where events leave: nothing of a discarded block and nothing after closing passes, even when the
/// decoder's thread is just about to tell it.
final class EventOutlet: Sendable {
    private struct State {
        var isClosed = false
        var discarded: Set<BlockNumber> = []
    }

    private let state = Mutex(State())
    private let sink: @Sendable (RecognitionEvent) -> Void

    init(_ sink: @escaping @Sendable (RecognitionEvent) -> Void) {
        self.sink = sink
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func isDiscarded(_ block: BlockNumber) -> Bool {
        state.withLock { $0.isClosed || $0.discarded.contains(block) }
    }

    /// - Parameter block: the block that the event belongs to, nil where it belongs to the session.
    func tell(_ event: RecognitionEvent, of block: BlockNumber? = nil) {
        state.withLock { state in
            if state.isClosed { return }
            if let block, state.discarded.contains(block) { return }
            sink(event)
        }
    }

    func discard(_ block: BlockNumber) {
        state.withLock { state in _ = state.discarded.insert(block) }
    }

    /// The decoder's thread has passed the block's end.
    func forget(_ block: BlockNumber) {
        state.withLock { state in _ = state.discarded.remove(block) }
    }

    func close() {
        state.withLock { $0.isClosed = true }
    }
}
