/// An event of a capture stream. The samples go from the microphone to the recogniser and never pass through
/// ``DictationMachine``.
public enum CaptureEvent: Hashable, Sendable {
    /// The first buffer after opening, a move or a stall arrived.
    case flowing
    /// The stream is linked to this source now.
    case linked(NodeName)
    /// The stream is open but delivered nothing for the watchdog's timeout, or its source disappeared.
    case stalled
    /// Frames that never reached the reader since the last event of this kind: the ring was full, the server
    /// skipped cycles, or the stream was moved to another source. Frames at 16 kHz.
    case dropped(frames: Int)
    /// The stream failed and must be opened again.
    case failed(CaptureFailure)
}

public enum CaptureFailure: Error, Hashable, Sendable {
    /// There is no source, or the requested one disappeared.
    case noSource
    /// The audio server exited or does not answer.
    case serverLost
    /// The source cannot be opened: format, permission, or a device error. The message is for people.
    case refused(String)
}
