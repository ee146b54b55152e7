/// How much of the sound a recording keeps.
public enum RecordingQuality: String, Hashable, Sendable, CaseIterable {
    /// The sound that is recognised.
    case low
    case medium
    case high

    /// Frames per second.
    public var rate: Int {
        switch self {
        case .low: Int(sampleRate)
        case .medium: 22_050
        case .high: 44_100
        }
    }
}

/// What a session's recording should be like.
public struct RecordingRequest: Hashable, Sendable {
    public var quality: RecordingQuality
    /// The longest file in a folder; a recording in a single file is not divided.
    public var segmentSeconds: Int
    /// Whether Cancel keeps what the block recorded.
    public var keepsCancelled: Bool

    /// Frames per second.
    public var rate: Int { quality.rate }

    public init(
        quality: RecordingQuality = .low, segmentSeconds: Int = 30, keepsCancelled: Bool = false
    ) {
        self.quality = quality
        self.segmentSeconds = segmentSeconds
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
    /// Frames per second.
    public var rate: Int
    public var gaps: [RecordingGap] = []

    public init(number: Int, block: BlockNumber?, start: Int, rate: Int = RecordingQuality.low.rate) {
        self.rate = rate
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

extension RecordedSegment {
    /// So many of its frames in seconds.
    public func seconds(_ frames: Int) -> Double {
        RecordedStretch(start: start, frames: frames, rate: rate).seconds
    }
}

/// A part of a recording.
public struct RecordedStretch: Hashable, Sendable {
    /// In frames, like the length.
    public var start: Int
    public var frames: Int
    /// Frames per second.
    public var rate: Int

    public init(start: Int, frames: Int, rate: Int = RecordingQuality.low.rate) {
        self.rate = rate
        self.start = start
        self.frames = frames
    }

    /// Its length.
    public var seconds: Double { Double(frames) / Double(rate) }
    /// Where it begins.
    public var startSeconds: Double { RecordedStretch(start: 0, frames: start, rate: rate).seconds }
}

/// A command for a session's recorder. It takes effect behind the sound that was appended before.
public enum RecorderCommand: Hashable, Sendable {
    /// Sound flows again after this time without it.
    case gap(RecordingGap.Cause, seconds: Double)
    /// The sound that follows belongs to the next block. Answered by ``RecordingEvent/blockEnded(_:_:)``.
    case endBlock(BlockNumber)
    /// The block is cancelled. The sound that follows belongs to the next one.
    case discardBlock(BlockNumber)
    /// No sound follows. Answered by ``RecordingEvent/finished(seconds:)`` within a few seconds.
    case finish
}

/// An event of a session's recorder.
public enum RecordingEvent: Hashable, Sendable {
    /// Where the recording has the block.
    case blockEnded(BlockNumber, RecordedStretch)
    case segment(RecordedSegment)
    /// Nothing more is recorded. Sent once.
    case failed(Refusal)
    /// What was cancelled could not be removed. Sent once.
    case notRemoved(Refusal)
    /// All files are finished; the length of the whole.
    case finished(seconds: Double)
}
