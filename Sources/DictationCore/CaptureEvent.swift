/// What a capture stream tells. The samples themselves go from the microphone to the recogniser and never
/// pass through a machine.
public enum CaptureEvent: Hashable, Sendable {
    /// The first buffer after opening, moving or a stall has arrived: sound really flows.
    case flowing
    /// The node at the other end of the stream is this source now.
    case linked(NodeName)
    /// The stream is open but has delivered nothing for the watchdog's time, or its source has gone.
    case stalled
    /// Frames that never reached the reader since the last event of this kind: the ring was full, the server
    /// skipped cycles, or the stream was moved to another source. Frames at 16 kHz.
    case dropped(frames: Int)
    /// The stream is over and must be opened anew.
    case failed(CaptureFailure)
}

public enum CaptureFailure: Error, Hashable, Sendable {
    /// There is no source, or the one asked for is gone.
    case noSource
    /// The audio server went away or does not answer.
    case serverLost
    /// The source refuses: format, permission, or a device error. For people; holds no audio.
    case refused(String)
}
