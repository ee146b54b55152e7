/// Something that happens in a simulation. Steps speak of clients, sessions and sources by position, so that
/// whatever is left of a sequence when others are taken out still means something.
public enum Step: Hashable, Sendable {
    case call(client: Int, CallStep)
    /// The client's connection is gone; its next call comes from a new one.
    case vanish(client: Int)
    /// The client does not read its signals any more.
    case stopReading(client: Int)
    case audio(AudioStep)
    case lock(Bool)
    case sleep(Bool)
    case seat(active: Bool)
    case permission(client: Int, PermissionStep)
    /// Of the open stream.
    case capture(CaptureStep)
    /// Of a stream that was closed while it was being opened: it is opened all the same, or fails.
    case lateCapture(fails: Bool)
    /// Of a stream that was closed, or never was open.
    case staleCapture(back: Int, CaptureStep)
    /// Sound went to the recogniser of the session that captures, or reads.
    case sound(session: Int, frames: Int)
    case recogniser(session: Int, RecogniserStep)
    case input(session: Int, fails: Bool)
    case level(session: Int)
    case congestion(Bool)
    case restored(source: Int?)
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
    /// For as long as the connection lives.
    case once
}

public enum CaptureStep: Hashable, Sendable {
    /// The stream is linked to what the session manager chooses, and sound flows.
    case flow
    case link(Int)
    case stall
    case noSource, serverLost, refuse
    case drop(Int)
}

public enum RecogniserStep: Hashable, Sendable {
    case ready
    case hypothesis
    /// Finishes a segment; every fourth says nothing.
    case segment(Int)
    /// A segment in which the user says something about the text.
    case spoken(SpokenStep)
    /// The preview engine finishes a segment.
    case preview
    /// The better engine has the text of so many of them.
    case passage(Int)
    /// ...has none, and that of the preview engine stays.
    case passageFallback(Int)
    /// ...and part of it was understood by nobody.
    case passageLost(Int)
    case finalEngineFailed
    /// Finishes the oldest block that it owes.
    case blockEnd
    case speechBegan, speechEnded, silence
    case segmentFailed
    case queued
    case lost
    /// What the session asks for cannot be done.
    case mistake
    case lag, overrun, tooQuiet
    /// Something about a block it has nothing to say of.
    case hostileSegment(block: Int)
    case hostileEnd(block: Int)
}

public enum PlayerStep: Hashable, Sendable {
    case plays, pauses, stops, restarts, dies
    /// Does what it was asked last.
    case obeys
}
