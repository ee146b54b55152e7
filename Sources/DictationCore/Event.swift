/// Everything that can happen to one user's dictation.
public enum Event: Hashable, Sendable {
    case call(CallID, from: Client, Request)
    /// The connection is gone, and with it whoever waited for an answer on it.
    case clientVanished(ClientName)
    /// The connection does not read its signals: it is sent no more, and its session ends unless it lingers. Its calls
    /// are answered all the same.
    case readerStopped(ClientName)
    case audio(AudioFacts)
    case seat(SeatFacts)
    /// What has been decided about an application. It replaces what was allowed for once.
    case permission(Identity, Permission)
    /// The user allows what was not determined, for as long as the connection or its lingering session lives.
    case allowedOnce(Client, [Resource])
    case capture(CaptureID, CaptureEvent)
    /// Frames at 16 kHz that went to the session's recogniser since the last event of this kind.
    case captured(SessionID, frames: Int)
    case recognition(SessionID, RecognitionEvent)
    /// The file or pipe has been read to its end.
    case inputEnded(SessionID)
    /// The file or pipe cannot be read further; what was read stays.
    case inputFailed(SessionID, Refusal)
    case level(SessionID, rms: Double, peak: Double)
    /// Whether the bus takes messages more slowly than they are sent: partials wait.
    case congestion(Bool)
    /// What was stored of the user's microphones, when the world begins.
    case routesRestored(RouteChoices)
    /// ``DictationMachine/nextDeadline`` has come.
    case tick
    /// The service is asked to end: every session stops, commits in progress are cancelled.
    case shutdown
}
