/// What the service tells.
public enum DictationEvent: Hashable, Sendable {
    /// The text of the current block grew. ``BlockText`` puts the pieces together.
    case partial(PartialText)
    /// A block was committed.
    case final(Final)
    /// The user took text back. Only where Start asked for commands.
    case retracted(Retraction)
    /// One of the phrases that Start named was said.
    case command(String)
    /// The state of a session, its reasons or its commits in progress changed.
    case stateChanged(StateChange)
    /// The microphone was closed against the session's wish.
    case interrupted(InterruptionReason, all: [InterruptionReason])
    /// The interruption is over and sound flows again. It lasted `seconds`.
    case resumed(InterruptionReason, all: [InterruptionReason], seconds: Double?)
    /// Another microphone is in use; nil where there was or is none.
    case routeChanged(RouteChangeReason, previous: Route?, current: Route?)
    /// The session is over; nothing of it follows.
    case stopped(StopReason)
    /// Something failed, and the session goes on.
    case failed(DictationError)
    /// How loud the microphone is. Only if Start asked for it.
    case level(Level)
    case permissionChanged(Resource, PermissionStatus)
    /// The service went away, and every session with it.
    case serviceVanished
    /// The service is there again: calls work, and subscriptions have been renewed.
    case serviceAppeared
}

/// An event and the session it is of.
public struct SessionEvent: Hashable, Sendable {
    /// Nil where it is of no session.
    public var session: UInt64?
    public var event: DictationEvent

    public init(session: UInt64?, event: DictationEvent) {
        self.session = session
        self.event = event
    }
}

/// How the text of a block grew.
public struct PartialText: Hashable, Sendable {
    /// Number of the block in its session, from 1.
    public var block: UInt64
    /// Where `stable` is to be put, in Unicode scalars from the beginning of the block.
    public var offset: UInt64
    /// What became final; it never changes later.
    public var stable: String
    /// What follows it and may still change; it replaces the volatile text before.
    public var volatile: String

    public init(block: UInt64, offset: UInt64, stable: String, volatile: String) {
        self.block = block
        self.offset = offset
        self.stable = stable
        self.volatile = volatile
    }
}

/// Text that the user took back at the end of a block, which may be finished already.
public struct Retraction: Hashable, Sendable {
    /// Number of the block in its session, from 1.
    public var block: UInt64
    /// Where the block's text ends now, in Unicode scalars from its beginning.
    public var offset: UInt64
    /// How many Unicode scalars were taken back from there.
    public var scalars: UInt64

    public init(block: UInt64, offset: UInt64, scalars: UInt64) {
        self.block = block
        self.offset = offset
        self.scalars = scalars
    }
}

public struct StateChange: Hashable, Sendable {
    public var state: SessionState
    /// Why: `started`, `paused`, `resumed`, `flowing`, `committed`, `idle`, or a reason of interruption.
    public var cause: String
    /// All reasons that hold, the latest last.
    public var reasons: [InterruptionReason]
    /// Commits in progress.
    public var pending: Int

    public init(state: SessionState, cause: String, reasons: [InterruptionReason] = [], pending: Int = 0) {
        self.state = state
        self.cause = cause
        self.reasons = reasons
        self.pending = pending
    }
}

/// Decibels below full scale, -120 to 0.
public struct Level: Hashable, Sendable {
    public var rms: Double
    public var peak: Double

    public init(rms: Double, peak: Double) {
        self.rms = rms
        self.peak = peak
    }
}
