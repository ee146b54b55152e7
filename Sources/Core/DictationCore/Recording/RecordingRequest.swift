/// What a session's recording should be like.
public struct RecordingRequest: Hashable, Sendable {
    /// Frames of one file in a folder; a recording in a single file is not divided.
    public var segmentFrames: Int
    /// Whether Cancel keeps what the block recorded.
    public var keepsCancelled: Bool

    /// Frames per second: the sound that is recognised.
    public static let rate = Int(sampleRate)

    public init(segmentSeconds: Int = 30, keepsCancelled: Bool = false) {
        segmentFrames = segmentSeconds * Self.rate
        self.keepsCancelled = keepsCancelled
    }
}

/// A file of a recording.
public struct RecordedSegment: Hashable, Sendable {
    /// From 1, in the order of the sound.
    public var number: Int
    /// Of the file in its folder; empty for a file that the client opened.
    public var name = ""
    /// The block that its sound belongs to; nil if it may have several.
    public var block: BlockNumber?
    /// Its position in the recording, in frames.
    public var start: Int
    public var frames = 0
    public var gaps: [RecordingGap] = []

    public init(number: Int, block: BlockNumber?, start: Int) {
        self.number = number
        self.block = block
        self.start = start
    }
}

/// A time without sound that takes no room in a recording.
public struct RecordingGap: Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        case paused
        /// Another microphone was opened.
        case route
        case reason(Reason)

        /// The word on the bus.
        public var word: String {
            switch self {
            case .paused: "paused"
            case .route: "route"
            case .reason(let reason): reason.rawValue
            }
        }
    }

    /// In frames from the beginning of the segment.
    public var position: Int
    public var seconds: Double
    public var cause: Cause

    public init(position: Int, seconds: Double, cause: Cause) {
        self.position = position
        self.seconds = seconds
        self.cause = cause
    }
}

/// A part of a recording, in frames.
public struct RecordedStretch: Hashable, Sendable {
    public var start: Int
    public var frames: Int

    public init(start: Int, frames: Int) {
        self.start = start
        self.frames = frames
    }
}

/// A command for a session's recorder. It takes effect behind the sound that was appended before.
public enum RecorderCommand: Hashable, Sendable {
    /// Sound flows again after this time without it.
    case gap(RecordingGap.Cause, seconds: Double)
    /// The sound that follows belongs to the next block. Answered by ``RecordingEvent/blockEnded(_:_:)``.
    case endBlock(BlockNumber)
    /// The block is cancelled. The sound that follows belongs to the next one.
    case discardBlock(BlockNumber)
    /// No sound follows. Answered by ``RecordingEvent/finished(frames:)`` within a few seconds.
    case finish
}

/// An event of a session's recorder.
public enum RecordingEvent: Hashable, Sendable {
    /// Where the recording has the block.
    case blockEnded(BlockNumber, RecordedStretch)
    case segment(RecordedSegment)
    /// Nothing more is recorded. Sent once.
    case failed(Refusal)
    /// All files are finished; the length of the whole.
    case finished(frames: Int)
}
