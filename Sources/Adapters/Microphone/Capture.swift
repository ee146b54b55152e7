public import DictationCore

/// What to record, and how the desktop is to show it.
public struct CaptureRequest: Hashable, Sendable {
    /// The wanted source; nil follows the default. While it is absent the default serves, and goes on to when
    /// the wanted one returns: session managers take that for the user's wish.
    public var target: NodeName?
    /// `node.name` of the stream.
    public var name: String
    /// `node.description` of the stream: what people see beside the microphone's indicator.
    public var description: String
    /// Frames at 16 kHz that are kept at least while the reader is late; what comes on top is dropped and
    /// counted. Rounded up to a power of two. By default 16 s: PipeWire's data thread runs in real time, the reader
    /// does not, and a machine that swaps keeps it waiting for seconds.
    public var bufferedFrames: Int
    /// Quiet samples may wait until there are so many frames of them, so that silence wakes nobody often. Louder ones
    /// come at once, and bring with them what waited.
    public var quietFrames: Int

    public init(
        target: NodeName? = nil, name: String = "dictation.capture", description: String = "Dictation",
        bufferedFrames: Int = 1 << 18, quietFrames: Int = 1600
    ) {
        self.target = target
        self.name = name
        self.description = description
        self.bufferedFrames = bufferedFrames
        self.quietFrames = quietFrames
    }
}

/// A capture stream that was opened. It lasts until ``AudioServer/close(_:_:)`` or its ``CaptureEvent/failed(_:)``.
public struct Capture: Hashable, Sendable {
    let id: StreamID
    let server: AudioServer

    /// What becomes of samples that have come and were not handed over yet.
    public enum Remainder: Sendable {
        /// They are handed over before the close goes on: what was said before a pause is not lost.
        case deliver
        case discard
    }

    /// As ``AudioServer/close(_:_:)``, and returns as ``AudioServer/settled()`` does.
    public func close(_ remainder: Remainder) async {
        await server.close(self, remainder)
        await server.settled()
    }

    public static func == (one: Self, other: Self) -> Bool {
        one.id == other.id && one.server === other.server
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
