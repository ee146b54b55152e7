/// What the machine wants done. Effects are carried out in order.
public enum Effect: Hashable, Sendable {
    case reply(CallID, Reply)
    case refuse(CallID, Refusal)
    case signal(SessionSignal, SessionID, to: Audience)
    /// Open a stream on `target`, or on whatever is the default. At most one is open in a world.
    case openCapture(CaptureID, for: SessionID, target: NodeName?)
    /// Close the stream; what it holds already still goes to the session's recogniser, before the next effect.
    case closeCapture(CaptureID, for: SessionID)
    /// Read on in the session's file or pipe, or stop reading for now.
    case runInput(SessionID, Bool)
    /// Open a recogniser in place of the session's last one, if it had one; the sound that follows belongs to
    /// this block.
    case openTranscriber(SessionID, TranscriptionRequest, BlockNumber)
    case transcriber(SessionID, TranscriberCommand)
    /// The session is gone: let go of its recogniser and of its file or pipe.
    case discard(SessionID)
    /// Store what the user chose, then answer the call; it holds already.
    case storeRoutes(RouteChoices, for: CallID)
    /// Hold the delay inhibitor against sleep, or release it: all capture has been closed.
    case holdSleepInhibitor(Bool)
}

/// See ``Transcribing``.
public enum TranscriberCommand: Hashable, Sendable {
    case cut
    case acoustics(AcousticKey)
    case endBlock(BlockNumber)
    case discardBlock(BlockNumber)
}

/// Who receives a signal.
public enum Audience: Hashable, Sendable {
    case clients([ClientName])
    /// Without destination, for a session that was started with `broadcast`.
    case everyone
}

/// What a session tells its owner and subscribers.
public enum SessionSignal: Hashable, Sendable {
    case partial(BlockNumber, offset: Int, stable: String, volatile: String)
    case final(FinishedBlock)
    /// The user took text back: so many scalars from `offset` to the end of what was told of the block.
    case retracted(BlockNumber, offset: Int, scalars: Int)
    /// A phrase that the client wanted to be told of.
    case command(String)
    case interrupted(Reason, all: [Reason])
    /// With the last reason to go.
    case resumed(Reason, EndedInterruption)
    case routeChanged(RouteChangeReason, previous: Route?, current: Route?)
    case stateChanged(SessionState, cause: StateCause, reasons: [Reason], pending: Int)
    case stopped(StopReason)
    case error(Refusal)
    /// Decibels below full scale.
    case level(rms: Double, peak: Double)
}

/// An interruption that is over.
public struct EndedInterruption: Hashable, Sendable {
    /// All that held during it.
    public var reasons: [Reason]
    /// In seconds.
    public var duration: Double
    /// What was made anew for it, in the order of ``RebuiltPart``.
    public var rebuilt: [RebuiltPart] = []
    /// Frames at 16 kHz that were lost since it began.
    public var droppedFrames = 0

    public init(
        reasons: [Reason], duration: Double, rebuilt: [RebuiltPart] = [], droppedFrames: Int = 0
    ) {
        self.reasons = reasons
        self.duration = duration
        self.rebuilt = rebuilt
        self.droppedFrames = droppedFrames
    }
}

/// What an interruption can make it necessary to build anew.
public enum RebuiltPart: String, Hashable, Sendable, CaseIterable {
    /// The connection to the audio server.
    case audioServer = "audio-server"
    /// The capture stream.
    case capture
    case recogniser
}

/// Why the state of a session changed.
public enum StateCause: Hashable, Sendable {
    case started, paused, resumed, flowing, committed
    /// Another microphone is being opened.
    case route
    /// Stop was called; commits in progress are being finished.
    case stopped
    /// A lingering session was left alone.
    case idle
    /// An interruption lasted longer than it may to end by itself.
    case resumeLimit
    case reason(Reason)

    /// The word on the bus.
    public var word: String {
        switch self {
        case .started: "started"
        case .paused: "paused"
        case .resumed: "resumed"
        case .flowing: "flowing"
        case .committed: "committed"
        case .route: "route"
        case .stopped: "stopped"
        case .idle: "idle"
        case .resumeLimit: "resume-limit"
        case .reason(let reason): reason.rawValue
        }
    }
}
