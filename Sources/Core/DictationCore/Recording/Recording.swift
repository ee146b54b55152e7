/// What a recorder does with its files, in order.
public enum RecordingStep: Hashable, Sendable {
    /// Make the file of this segment.
    case open(RecordedSegment)
    /// Write the next frames to the open file.
    case write(frames: Int)
    /// Cut the open file to this many frames.
    case truncate(frames: Int)
    /// The open file is finished.
    case close(RecordedSegment)
    /// Remove the finished file of this segment.
    case remove(number: Int)
    /// Finished files are not removed any more.
    case settle
    /// The file may not become longer.
    case full
}

/// Which sound of a session goes into which file. Counts frames; the samples are elsewhere.
///
/// In a folder a file ends after a number of frames, or with its block, so that cancelling a block removes whole files. A
/// single file has everything, and cancelling a block cuts it.
public struct Recording: Hashable, Sendable {
    public enum Place: Hashable, Sendable {
        case file
        case folder
    }

    /// Frames of a file of 2 GiB, which every program can read.
    public static let frameLimit = (1 << 31) / 2 - 64
    /// Gaps that a segment lists. Further ones are left out.
    public static let gapLimit = 256

    private let place: Place
    private let keepsCancelled: Bool
    /// Frames per second.
    public let rate: Int
    private let segmentLimit: Int
    /// The length so far, in frames.
    public private(set) var position = 0
    private var blockStart = 0
    private var block: BlockNumber = 1
    private var current: RecordedSegment?
    private var lastNumber = 0
    /// Finished segments of the current block.
    private var blockSegments: [Int] = []
    /// No more sound is taken.
    private var hasEnded = false
    /// The gap before the next frame.
    private var gap: RecordingGap?

    public init(_ request: RecordingRequest, in place: Place, frameLimit: Int = Self.frameLimit) {
        self.place = place
        keepsCancelled = request.keepsCancelled
        rate = request.rate
        segmentLimit = place == .file ? frameLimit : min(request.segmentSeconds * rate, frameLimit)
    }

    /// The whole so far.
    public var whole: RecordedStretch { RecordedStretch(start: 0, frames: position, rate: rate) }

    public mutating func append(frames: Int) -> [RecordingStep] {
        var steps: [RecordingStep] = []
        var rest = frames
        while rest > 0, !hasEnded {
            openSegment(&steps)
            recordGap()
            let taken = min(rest, segmentLimit - (current?.frames ?? 0))
            steps.append(.write(frames: taken))
            current?.frames += taken
            position += taken
            rest -= taken
            guard current?.frames == segmentLimit else { continue }
            switch place {
            case .file:
                // It stays open, because Cancel may cut it.
                hasEnded = true
                steps.append(.full)
            case .folder: closeSegment(&steps)
            }
        }
        return steps
    }

    /// There was no sound for this time. Gaps without sound between them become one, with the cause of the last.
    public mutating func addGap(_ cause: RecordingGap.Cause, seconds: Double) {
        gap = RecordingGap(position: 0, seconds: (gap?.seconds ?? 0) + seconds, cause: cause)
    }

    /// The sound that follows belongs to the next block.
    public mutating func endBlock() -> (steps: [RecordingStep], stretch: RecordedStretch) {
        let stretch = RecordedStretch(start: blockStart, frames: position - blockStart, rate: rate)
        var steps: [RecordingStep] = []
        if place == .folder {
            closeSegment(&steps)
            steps.append(.settle)
        }
        beginBlock()
        return (steps, stretch)
    }

    /// The current block is cancelled. The sound that follows belongs to the next one.
    public mutating func discardBlock() -> [RecordingStep] {
        guard !keepsCancelled else { return endBlock().steps }
        var steps: [RecordingStep] = []
        switch place {
        case .file:
            if var segment = current, position > blockStart {
                segment.frames = blockStart
                segment.gaps.removeAll { $0.position >= blockStart }
                current = segment
                steps.append(.truncate(frames: blockStart))
            }
        case .folder:
            let open = current?.number
            closeSegment(&steps)
            steps += blockSegments.map { .remove(number: $0) }
            // A file that is removed at once is not reported.
            if let open { steps.removeAll { $0.closes(open) } }
        }
        position = blockStart
        gap = nil
        beginBlock()
        return steps
    }

    /// No sound follows.
    public mutating func finish() -> [RecordingStep] {
        var steps: [RecordingStep] = []
        closeSegment(&steps)
        hasEnded = true
        return steps
    }

    /// The file of this segment got only its first frames, and nothing after it was written. Blocks can still be ended and
    /// discarded.
    /// - Parameter segment: with the frames that its file has; nil if there is no file.
    /// - Returns: the segment if its file is finished, with its gaps as far as they are known.
    public mutating func fail(at segment: RecordedSegment?) -> RecordedSegment? {
        hasEnded = true
        var failed = segment ?? RecordedSegment(number: 0, block: block, start: 0)
        let gaps = current?.number == failed.number ? current?.gaps ?? [] : []
        failed.gaps = gaps.filter { $0.position < failed.frames }
        if place == .file {
            position = min(position, failed.start + failed.frames)
            blockStart = min(blockStart, position)
            current = segment == nil ? nil : failed
            return nil
        }
        current = nil
        // The block was discarded after the failure and before the news of it.
        let isDiscarded = failed.block != block && failed.start >= blockStart
        position = isDiscarded ? blockStart : failed.start + failed.frames
        blockStart = min(blockStart, position)
        if failed.block == block { blockSegments.append(failed.number) }
        return isDiscarded || failed.frames == 0 ? nil : failed
    }

    /// The file of this segment is finished, with its frames.
    public mutating func close(_ segment: RecordedSegment) {
        if place == .file { position = min(position, segment.start + segment.frames) }
    }

    private mutating func beginBlock() {
        blockStart = position
        block += 1
        blockSegments = []
    }

    private mutating func openSegment(_ steps: inout [RecordingStep]) {
        guard current == nil else { return }
        lastNumber += 1
        let segment = RecordedSegment(
            number: lastNumber, block: place == .folder ? block : nil, start: position, rate: rate)
        current = segment
        steps.append(.open(segment))
    }

    /// A gap before the first frame of a recording does not count.
    private mutating func recordGap() {
        guard var gap = gap.take(), position > 0, let segment = current,
            segment.gaps.count < Self.gapLimit
        else { return }
        gap.position = segment.frames
        current?.gaps.append(gap)
    }

    private mutating func closeSegment(_ steps: inout [RecordingStep]) {
        guard let segment = current.take() else { return }
        blockSegments.append(segment.number)
        steps.append(.close(segment))
    }
}

extension RecordingStep {
    fileprivate func closes(_ number: Int) -> Bool {
        if case .close(let segment) = self { segment.number == number } else { false }
    }
}
