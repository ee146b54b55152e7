/// A step of a simulation. Steps name clients, sessions and sources by index, so that a sequence stays valid when steps
/// are removed.
public enum Step: Hashable, Sendable {
    case call(client: Int, CallStep)
    /// The client disconnects. Its next call comes from a new connection.
    case vanish(client: Int)
    /// The client stops reading its signals.
    case stopReading(client: Int)
    case audio(AudioStep)
    case lock(Bool)
    case sleep(Bool)
    case seat(active: Bool)
    case permission(client: Int, PermissionStep)
    /// Of the open stream.
    case capture(CaptureStep)
    /// Of a stream that was closed while it was opening: it opens anyway, or fails.
    case lateCapture(fails: Bool)
    /// Of a stream that is closed or unknown.
    case staleCapture(back: Int, CaptureStep)
    /// Audio for the recogniser of the session that captures or reads.
    case sound(session: Int, frames: Int)
    case recogniser(session: Int, RecogniserStep)
    case input(session: Int, fails: Bool)
    case level(session: Int)
    case congestion(Bool)
    case restored(source: Int?)
    /// The settings of this seed.
    case settings(UInt64)
    case player(Int, PlayerStep)
    case wait(Duration)
    case shutdown
}

public enum CallStep: Hashable, Sendable {
    case start(StartStep)
    case pause, resume, commit, cancel, stop, stopAll
    case getSession
    case subscribe(text: Bool)
    case listRoutes
    case selectRoute(Int?)
    case checkPermission
}

public enum StartStep: Hashable, Sendable, CaseIterable {
    case plain, lingering, broadcast, input, autoCommit, onRoute, withLevels, withoutPartials, mixing,
        written, secondPass
}

public enum AudioStep: Hashable, Sendable {
    case server(Bool)
    case source(Int, present: Bool)
    case defaultSource(Int?)
    case muted(Int, Bool)
    case headsetProfile(Int, Bool)
    case call(Bool)
    case recorder(Bool)
    case same
}

public enum PermissionStep: Hashable, Sendable, CaseIterable {
    case granted, denied, forgotten, speechDenied
    /// Nothing is decided about speech.
    case microphoneGranted
    /// For as long as the connection lives.
    case once
}

public enum CaptureStep: Hashable, Sendable {
    /// The stream is linked to the session manager's choice, and sound flows.
    case flow
    case link(Int)
    case stall
    case noSource, serverLost, refuse
    case drop(Int)
}

public enum RecogniserStep: Hashable, Sendable {
    case ready
    case hypothesis
    /// Finishes a segment; every fourth is empty.
    case segment(Int)
    /// A segment with a spoken command about the text.
    case spoken(SpokenStep)
    /// The preview engine finishes a segment.
    case preview
    /// The final engine has the text of so many of them.
    case passage(Int)
    /// The final engine fails, and the preview engine's text stays.
    case passageFallback(Int)
    /// The same, and a part of it was not recognised at all.
    case passageLost(Int)
    case finalEngineFailed
    /// Finishes the oldest pending block.
    case blockEnd
    case speechBegan, speechEnded, silence
    case segmentFailed
    case queued
    case lost
    /// The session's request cannot be carried out.
    case mistake
    case lag, overrun
    /// An event about a block that is not pending.
    case hostileSegment(block: Int)
    case hostileEnd(block: Int)
}

public enum PlayerStep: Hashable, Sendable {
    case plays, pauses, stops, restarts, dies
    /// Carries out its last command.
    case obeys
}
