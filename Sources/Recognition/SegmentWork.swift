import DictationCore

/// How a loop's segments become text. Confined to the loop's thread.
protocol SegmentWork {
    /// Whom the next segment is of.
    var acoustics: AcousticKey { get }

    mutating func load() throws(RecognitionError)

    /// Between segments.
    mutating func adapt(to key: AcousticKey)

    /// - Parameter start: on the block's clock.
    mutating func begin(at start: Double, of block: BlockNumber) throws(RecognitionError)

    mutating func append(_ samples: ArraySlice<Int16>) throws(RecognitionError)

    /// What the unfinished segment seems to say; nil where that is not known.
    func hypothesis() -> String?

    /// Ends the segment.
    /// - Parameters:
    ///   - end: on the block's clock.
    ///   - isAwaited: see ``Recognizer/finishSegment(isAwaited:)``.
    /// - Returns: segments of which the text is known now, in order.
    mutating func finish(
        at end: Double, isAwaited: () -> Bool
    ) throws(RecognitionError) -> [SegmentOutcome]

    /// The rest of them.
    mutating func finishAll() throws(RecognitionError) -> [SegmentOutcome]

    /// The block is forgotten or the session over; nothing of it comes any more.
    mutating func abandon()
}

/// What became of a segment.
enum SegmentOutcome: Sendable {
    case segment(Segment)
    /// The engine failed at it, twice.
    case failed(message: String)
}
