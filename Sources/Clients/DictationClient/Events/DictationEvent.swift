/// An event of the service.
public enum DictationEvent: Hashable, Sendable {
    /// The text of the current block grew. ``BlockText`` assembles it.
    case partial(PartialText)
    /// A block was committed.
    case final(Final)
    /// The user took text back. Only if Start asked for commands.
    case retracted(Retraction)
    /// The user said a phrase that Start named.
    case command(String)
    /// The state of a session, its reasons or its commits in progress changed.
    case stateChanged(StateChange)
    /// The microphone was closed although the session wants to listen.
    case interrupted(InterruptionReason, all: [InterruptionReason])
    /// The interruption is over and sound flows again. It lasted `seconds`.
    case resumed(InterruptionReason, all: [InterruptionReason], seconds: Double?)
    /// All that is wrong with the sound now; empty if nothing is any more.
    case problemsChanged([SoundProblem])
    /// Another microphone is used; nil if there was or is none.
    case routeChanged(RouteChangeReason, previous: Route?, current: Route?)
    /// A file of the recording is finished. Only if Start asked for a recording.
    case segmentRecorded(RecordedSegment)
    /// The session has ended. Its last event.
    case stopped(StopReason)
    /// The service has crashed and was restarted. The session continues, paused, with the text that was not committed. Less
    /// than a second of sound is missing, which ``Final/dropouts`` has. A recording is not continued. Only with
    /// ``StartOptions/survivesRestart``.
    case restored(SessionStatus)
    /// An error; the session continues.
    case failed(DictationError)
    /// The microphone's level. Only if Start asked for it.
    case level(Level)
    case permissionChanged(Resource, PermissionStatus)
    /// The service has left the bus, and every session has ended.
    case serviceVanished
    /// The service is on the bus again: calls work, and subscriptions were renewed.
    case serviceAppeared
}

/// An event and its session.
public struct SessionEvent: Hashable, Sendable {
    /// Nil for events without a session.
    public var session: UInt64?
    public var event: DictationEvent

    public init(session: UInt64?, event: DictationEvent) {
        self.session = session
        self.event = event
    }
}

/// A change of a block's text.
public struct PartialText: Hashable, Sendable {
    /// Number of the block in its session, from 1.
    public var block: UInt64
    /// The position of `stable`, in Unicode scalars from the beginning of the block.
    public var offset: UInt64
    /// Final text; it never changes later.
    public var stable: String
    /// The text after it, which may still change. Replaces the previous volatile text.
    public var volatile: String

    public init(block: UInt64, offset: UInt64, stable: String, volatile: String) {
        self.block = block
        self.offset = offset
        self.stable = stable
        self.volatile = volatile
    }
}

/// Text that the user took back from the end of a block, which may be finished already.
public struct Retraction: Hashable, Sendable {
    /// Number of the block in its session, from 1.
    public var block: UInt64
    /// The new end of the block's text, in Unicode scalars from its beginning.
    public var offset: UInt64
    /// The number of Unicode scalars that were taken back.
    public var scalars: UInt64

    public init(block: UInt64, offset: UInt64, scalars: UInt64) {
        self.block = block
        self.offset = offset
        self.scalars = scalars
    }
}

public struct StateChange: Hashable, Sendable {
    public var state: SessionState
    /// The cause: `started`, `paused`, `resumed`, `flowing`, `committed`, `idle`, or a reason of interruption.
    public var cause: String
    /// All present reasons, the latest last.
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

/// The microphone's level.
public struct Level: Hashable, Sendable {
    /// The root mean square, in decibels below full scale, -120 to 0.
    public var rms: Double
    /// In decibels below full scale, -120 to 0.
    public var peak: Double
    /// The minimum and the maximum of each part of the time, -1 to 1; empty unless ``StartOptions/sendsWaveform``.
    public var waveform: [ClosedRange<Double>]

    public init(rms: Double, peak: Double, waveform: [ClosedRange<Double>] = []) {
        self.rms = rms
        self.peak = peak
        self.waveform = waveform
    }
}
