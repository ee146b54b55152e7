/// Everything that can affect one user's dictation.
public enum Event: Hashable, Sendable {
    case call(CallID, from: Client, Request)
    /// The connection closed. Its pending calls need no reply.
    case clientVanished(ClientName)
    /// The connection does not read its signals. It gets no more of them, and its session ends unless it lingers. Its
    /// calls are still answered.
    case readerStopped(ClientName)
    case audio(AudioFacts)
    case seat(SeatFacts)
    /// The decision about an application. It replaces permissions for one connection.
    case permission(Identity, Permission)
    /// The user allowed what was not determined, until the connection closes or its lingering session ends.
    case allowedOnce(Client, [Resource])
    case capture(CaptureID, CaptureEvent)
    /// Frames at 16 kHz passed to the session's recogniser since the last event of this kind.
    case captured(SessionID, frames: Int, [SoundMeasure] = [])
    case recognition(SessionID, RecognitionEvent)
    /// The file or pipe has been read to its end.
    case inputEnded(SessionID)
    /// Reading the file or pipe failed. What was read so far counts.
    case inputFailed(SessionID, Refusal)
    case level(SessionID, SoundLevel)
    /// The answer to ``Effect/filter(_:_:_:by:language:)``.
    case filtered(SessionID, BlockNumber, FilteredText)
    case recording(SessionID, RecordingEvent)
    /// Whether the bus takes messages more slowly than they are sent. If so, Partials are delayed.
    case congestion(Bool)
    /// The configuration has changed.
    case settings(Settings)
    /// The stored choices of microphones, at the beginning.
    case routesRestored(RouteChoices)
    /// A session of a service that crashed, and whose client has called.
    case restore(RestoredSession)
    /// The block of a session that was restored is committed. Its client has not used the session by that.
    case commitRestored(SessionID)
    /// The options of a session that has begun with others: see ``StartOptions/areUnsettled``.
    case settled(SessionID, StartOptions)
    /// The session cannot go on, because its options cannot be known.
    case notSettled(SessionID, Refusal)
    /// ``DictationMachine/nextDeadline`` has come.
    case tick
    /// The service shuts down: every session stops, and commits in progress have a time limit.
    case shutdown
}
