import DictationCore
import EventLoop

/// Decodes recorded audio, several segments at a time and each with its own cepstral mean. Texts come in the order of
/// the audio.
struct SegmentCrew: SegmentWork {
    /// Segments that wait for each thread, so that none is idle, and memory is bounded.
    private static let waitingPerThread = 2

    let acoustics = AcousticKey.once(0)
    private let slot: DecoderSlot
    private let board: SegmentBoard
    private let threads: Int
    private let outlet: EventOutlet
    private var block: BlockNumber = 0
    private var start = 0.0
    private var audio: [Int16] = []

    /// - Parameters:
    ///   - slot: of the loop's own thread, which takes part where it would wait.
    ///   - helpers: threads that serve the board, besides.
    ///   - outlet: knows which blocks are wanted.
    init(slot: DecoderSlot, board: SegmentBoard, helpers: Int, outlet: EventOutlet) {
        self.slot = slot
        self.board = board
        threads = helpers + 1
        self.outlet = outlet
    }

    func load() throws(RecognitionError) {
        _ = try slot.recognizer()
    }

    /// Every segment speaks for itself.
    func adapt(to key: AcousticKey) {}

    mutating func begin(at start: Double, of block: BlockNumber) {
        self.start = start
        self.block = block
        audio = []
    }

    mutating func append(_ samples: ArraySlice<Int16>) {
        audio.append(contentsOf: samples)
    }

    func hypothesis() -> String? { nil }

    mutating func finish(
        at end: Double, isAwaited: () -> Bool
    ) throws(RecognitionError) -> [SegmentOutcome] {
        board.put(
            SegmentBoard.Job(samples: audio, start: start, end: end) { [outlet, block] in
                !outlet.isDeaf(to: block)
            })
        audio = []
        while board.waitingCount > threads * Self.waitingPerThread { board.work(with: slot) }
        return try board.takeFinished()
    }

    mutating func finishAll() throws(RecognitionError) -> [SegmentOutcome] {
        var outcomes: [SegmentOutcome] = []
        while board.isBusy {
            if !board.work(with: slot) { board.waitForResult() }
            outcomes += try board.takeFinished()
        }
        return outcomes
    }

    func abandon() { board.clear() }
}

/// Where segments wait for a thread, and their texts for those before them.
final class SegmentBoard: Sendable {
    struct Job: Sendable {
        var samples: [Int16]
        var start: Double
        var end: Double
        var isWanted: @Sendable () -> Bool
    }

    private struct State {
        /// By their place in the order of the audio.
        var waiting: [(place: Int, job: Job)] = []
        var finished: [Int: Result<SegmentOutcome, RecognitionError>] = [:]
        var nextPlace = 0
        /// The first whose text was not taken yet.
        var firstPlace = 0
        var isClosed = false
    }

    private let state = Lock(State())
    private let work = Bell()
    private let result = Bell()

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Something waits, or is being decoded, or was not taken.
    var isBusy: Bool { state.withLock { $0.firstPlace < $0.nextPlace } }

    func put(_ job: Job) {
        state.withLock { state in
            state.waiting.append((state.nextPlace, job))
            state.nextPlace += 1
        }
        work.ring()
    }

    /// Decodes the segment that has waited longest. Returns false where none waits.
    @discardableResult func work(with slot: DecoderSlot) -> Bool {
        let (next, hasMore) = state.withLock { state in
            (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), !state.waiting.isEmpty)
        }
        guard let (place, job) = next else { return false }
        // One ring may have been for several.
        if hasMore { work.ring() }
        let outcome = Result { () throws(RecognitionError) in try slot.decode(job) }
        state.withLock { state in
            // It may have been cleared away meanwhile.
            if place >= state.firstPlace { state.finished[place] = outcome }
        }
        result.ring()
        return true
    }

    /// Decodes until the board is closed. For threads that help.
    func serve(with slot: DecoderSlot) {
        while !state.withLock({ $0.isClosed }) {
            if !work(with: slot) { work.wait() }
        }
        // Whoever waits beside this one.
        work.ring()
    }

    func waitForResult() { result.wait() }

    /// Texts of which all before are known, in order.
    func takeFinished() throws(RecognitionError) -> [SegmentOutcome] {
        let results = state.withLock { state in
            var results: [Result<SegmentOutcome, RecognitionError>] = []
            while let result = state.finished.removeValue(forKey: state.firstPlace) {
                results.append(result)
                state.firstPlace += 1
            }
            return results
        }
        var outcomes: [SegmentOutcome] = []
        for result in results { outcomes.append(try result.get()) }
        return outcomes
    }

    func clear() {
        state.withLock { state in
            state.waiting = []
            state.finished = [:]
            state.firstPlace = state.nextPlace
        }
    }

    func close() {
        clear()
        state.withLock { $0.isClosed = true }
        work.ring()
    }
}

extension DecoderSlot {
    /// A fresh recogniser hears a segment again at which one failed, once. An error means that none can be had.
    fileprivate func decode(_ job: SegmentBoard.Job) throws(RecognitionError) -> SegmentOutcome {
        var message = ""
        for _ in 0..<2 {
            let recognizer = try recognizer()
            do throws(RecognitionError) {
                let segment = try recognizer.recognize(job.samples, while: job.isWanted)
                return .segment(segment.moved(to: job.start, end: job.end))
            } catch {
                discard()
                message = error.message
            }
        }
        return .failed(message: message)
    }
}
