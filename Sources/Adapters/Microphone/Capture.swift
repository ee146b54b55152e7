public import DictationCore

/// What to record, and how the desktop shows it.
public struct CaptureRequest: Hashable, Sendable {
    /// The wanted source; nil follows the default. While it is missing, the default is used, and again the wanted one
    /// when it returns: session managers treat that as the user's choice.
    public var target: NodeName?
    /// `node.name` of the stream.
    public var name: String
    /// `node.description` of the stream: shown with the microphone's indicator.
    public var description: String
    /// Frames a second of the samples.
    public var rate: Int
    /// Frames at 16 kHz that are buffered for a late reader. Further frames are dropped and counted. Rounded up to a
    /// power of two. The default is 16 s, because PipeWire's data thread runs in real time and the reader does not; a
    /// machine that swaps delays it for seconds.
    public var bufferedFrames: Int
    /// Quiet samples are delivered in batches of this many frames at 16 kHz, so that silence causes few wake-ups. Louder samples
    /// are delivered at once, with those buffered before.
    public var quietFrames: Int

    /// Whether the first channel of the source is captured instead of the mean of all.
    public var hasOneChannel = false

    /// The usual rate: that of the sound that is recognised.
    public static let speechRate = 16_000

    public init(
        target: NodeName? = nil, name: String = "dictation.capture", description: String = "Dictation",
        rate: Int = Self.speechRate, bufferedFrames: Int = 1 << 18, quietFrames: Int = 1600
    ) {
        self.target = target
        self.name = name
        self.description = description
        self.rate = rate
        self.bufferedFrames = bufferedFrames
        self.quietFrames = quietFrames
    }
}

extension CaptureRequest {
    /// The same time in frames of this rate.
    func scaled(_ frames: Int) -> Int { frames * rate / Self.speechRate }

    /// The same time in frames at 16 kHz; at most a day, because other programs set the graph's clock.
    func unscaled(_ frames: Int) -> Int {
        (min(frames, 86_400 * rate) * Self.speechRate + rate / 2) / rate
    }
}

/// An open capture stream, until ``AudioServer/close(_:_:)`` or its ``CaptureEvent/failed(_:)``.
public struct Capture: Hashable, Sendable {
    let id: StreamID
    let server: AudioServer

    /// What to do with buffered samples.
    public enum Remainder: Sendable {
        /// Deliver them before closing, so that speech before a pause is not lost.
        case deliver
        case discard
    }

    /// Like ``AudioServer/close(_:_:)``, and returns like ``AudioServer/settled()``.
    public func close(_ remainder: Remainder) async {
        await server.close(self, remainder)
        await server.settled()
    }

    public static func == (one: Self, other: Self) -> Bool {
        one.id == other.id && one.server === other.server
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
