public import DictationCore
import Synchronization

/// The recogniser of one session: audio and marks go in without waiting, events come out in the order of
/// the audio, and everything between happens on the decoder's own thread.
///
/// After ``RecognitionEvent/engineLost(message:)`` nothing more is told; another transcriber takes over.
public final class Transcriber: Transcribing {
    private let inbox: Inbox
    private let outlet: EventOutlet

    /// Of all that ever were.
    private static let count = Atomic<UInt64>(0)

    init(keptAudio: Duration, events: @escaping @Sendable (RecognitionEvent) -> Void) {
        inbox = Inbox(bound: Int(keptAudio / .milliseconds(1)) * 16)
        outlet = EventOutlet(events)
        // Until it is told whom it hears.
        inbox.put(.acoustics(.once(Self.count.add(1, ordering: .relaxed).newValue)))
    }

    deinit { close() }

    /// A decoder is found or loaded, while audio is kept already.
    func start(
        on engine: any Engine, _ request: TranscriptionRequest, from block: BlockNumber, _ pool: DecoderPool
    ) throws(RecognitionError) {
        let settings = RecognizerSettings(request)
        try engine.check(settings)
        let board = request.isRecorded ? SegmentBoard() : nil
        try pool.run(engine, settings) { [inbox, outlet] slot in
            var work: any SegmentWork = SegmentDecoder(slot: slot)
            if let board {
                let helpers = pool.help(engine, settings) { board.serve(with: $0) }
                work = SegmentCrew(slot: slot, board: board, helpers: helpers, outlet: outlet)
            }
            var loop = TranscriptionLoop(
                inbox: inbox, outlet: outlet, decoder: work, block: block,
                segmentLimit: request.segmentLimit)
            loop.run()
            board?.close()
        }
    }

    func lose(_ error: RecognitionError) {
        outlet.tell(.engineLost(message: error.message))
        close()
    }

    /// Frames that wait to be decoded.
    public var framesWaiting: Int { inbox.keptFrames }

    /// Frames ever given.
    public var framesIn: Int { inbox.framesIn }

    @discardableResult public func append(_ samples: [Int16]) -> Bool {
        inbox.put(samples)
    }

    public func cut() {
        inbox.put(.cut)
    }

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

    public func waitForRoom() {
        inbox.waitForRoom()
    }

    public func close() {
        outlet.close()
        inbox.put(.close)
    }
}
