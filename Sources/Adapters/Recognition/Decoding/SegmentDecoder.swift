import DictationCore

/// Decodes segments and handles the engine's failures: a new recogniser decodes the segment again from its audio, once.
/// After a second failure the segment is lost. An error thrown from here means that no new recogniser can be loaded.
struct SegmentDecoder {
    private enum State {
        case idle
        case decoding(hasFailed: Bool)
        case failed(message: String)
    }

    private let slot: DecoderSlot
    private var acoustics = AcousticKey.once(0)
    private var state = State.idle
    /// Audio of the unfinished segment, for decoding it again.
    private(set) var audio: [Int16] = []
    private var start = 0.0

    init(slot: DecoderSlot) {
        self.slot = slot
    }

    /// - Parameter start: on the block's clock.
    mutating func begin(at start: Double, _ acoustics: AcousticKey) throws(RecognitionError) {
        self.start = start
        self.acoustics = acoustics
        audio.removeAll(keepingCapacity: true)
        state = .decoding(hasFailed: false)
        try attempt { recognizer throws(RecognitionError) in
            recognizer.adapt(to: acoustics)
            try recognizer.beginSegment()
        } onceMore: { _ in
        }
    }

    mutating func append(_ samples: ArraySlice<Int16>) throws(RecognitionError) {
        audio.append(contentsOf: samples)
        try attempt { recognizer throws(RecognitionError) in
            try recognizer.append(samples)
        } onceMore: { _ in
        }
    }

    /// Nil if the segment has failed.
    func hypothesis() -> String? {
        guard case .decoding = state else { return nil }
        return slot.current?.hypothesis()
    }

    /// - Parameters:
    ///   - end: on the block's clock.
    ///   - isAwaited: see ``Recognizer/finishSegment(isAwaited:)``.
    mutating func finish(
        at end: Double, isCut: Bool, isAwaited: () -> Bool
    ) throws(RecognitionError) -> SegmentOutcome {
        defer { state = .idle }
        let segment = try attempt { recognizer throws(RecognitionError) in
            try recognizer.finishSegment(isAwaited: isAwaited)
        } onceMore: { recognizer throws(RecognitionError) in
            try recognizer.finishSegment(isAwaited: isAwaited)
        }
        if let segment { return .segment(segment.moved(to: start, end: end, isCut: isCut)) }
        if case .failed(let message) = state { return .failed(message: message) }
        return .segment(Segment(text: "", start: start, end: end, isCut: isCut))
    }

    /// Drops the segment, because its block was discarded or the session ended. The recogniser can be used for another.
    mutating func abandon() {
        if case .decoding = state { slot.current?.abandonSegment() }
        state = .idle
    }

    /// - Parameter onceMore: what to do after a new recogniser has decoded all the audio again.
    /// - Returns: nil if the segment has failed.
    private mutating func attempt<Result>(
        _ work: (any Recognizer) throws(RecognitionError) -> Result,
        onceMore: (any Recognizer) throws(RecognitionError) -> Result
    ) throws(RecognitionError) -> Result? {
        guard case .decoding(let hasFailed) = state else { return nil }
        let recognizer = try slot.recognizer()
        let failure: RecognitionError
        do throws(RecognitionError) {
            return try slot.timed { () throws(RecognitionError) in try work(recognizer) }
        } catch {
            slot.discard()
            failure = error
        }
        if hasFailed {
            state = .failed(message: failure.message)
            return nil
        }
        state = .decoding(hasFailed: true)
        let fresh = try slot.recognizer()
        do throws(RecognitionError) {
            return try slot.timed { () throws(RecognitionError) in
                fresh.adapt(to: acoustics)
                try fresh.beginSegment()
                try fresh.append(audio[...])
                return try onceMore(fresh)
            }
        } catch {
            slot.discard()
            state = .failed(message: error.message)
            return nil
        }
    }
}

extension Segment {
    /// Converts times from the segment's clock to the block's clock.
    func moved(to start: Double, end: Double, isCut: Bool) -> Segment {
        var moved = self
        moved.isCut = isCut
        moved.start = start
        moved.end = end
        for index in moved.words.indices {
            moved.words[index].start += start
            moved.words[index].end += start
        }
        return moved
    }
}
