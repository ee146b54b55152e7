/// What ``DictationMachine`` wants done. Carry out effects in order.
public enum Effect: Hashable, Sendable {
    case reply(CallID, Reply)
    case refuse(CallID, Refusal)
    case signal(SessionSignal, SessionID, to: Audience)
    /// Open a stream on `target`; nil follows the default. At most one stream is open per user.
    case openCapture(CaptureID, for: SessionID, target: NodeName?)
    /// Close the stream. Pass the sound it has buffered to the session's recogniser before the next effect.
    case closeCapture(CaptureID, for: SessionID)
    /// Resume or suspend reading the session's file or pipe.
    case runInput(SessionID, Bool)
    /// Open a recogniser, replacing the session's last one if there is one. The sound that follows belongs to this
    /// block.
    case openTranscription(SessionID, TranscriptionRequest, BlockNumber)
    case transcription(SessionID, TranscriptionCommand)
    /// Follows the command to the recogniser that takes effect at the same place of the sound.
    case recorder(SessionID, RecorderCommand)
    /// The session ended: free its recogniser, close its file or pipe, finish its recording, and erase its journal.
    case discard(SessionID)
    /// The service ends, and the session waits for the next one. Like ``discard(_:)``, but these blocks stay in the journal.
    case leave(SessionID, [UncommittedBlock])
    /// Give a final text to this program. ``Event/filtered(_:_:_:)`` follows, within a limit of time.
    case filter(SessionID, BlockNumber, String, by: String, language: String)
    /// A text is final, or was taken back since: put it into the user's history, if there is one.
    case keep(KeptText)
    /// Store the user's choice, which is in effect already, then answer the call.
    case storeRoutes(RouteChoices, for: CallID)
    /// Take the sleep delay inhibitor, or release it, after all capture was closed.
    case holdSleepInhibitor(Bool)
}

extension Effect {
    /// It gives the text of a committed block away.
    public var isFinal: Bool {
        switch self {
        case .signal(.final, _, _), .reply(_, .committed): true
        default: false
        }
    }

    /// The session that waits for the next service.
    public var leftSession: SessionID? {
        if case .leave(let session, _) = self { session } else { nil }
    }
}

/// A command for the session's recogniser. It takes effect behind the audio that was appended before.
public enum TranscriptionCommand: Hashable, Sendable {
    /// The audio stops here for now (pause, interruption, a change of microphone): finish the segment but not the
    /// block.
    case cut
    /// The audio that follows is from another speaker or microphone. Ends the segment.
    case acoustics(AcousticKey)
    /// Finish the current block. The audio that follows belongs to the next one.
    case endBlock(BlockNumber)
    /// Discard the current block: no event of it follows. The audio that follows belongs to the next one.
    case discardBlock(BlockNumber)
}

/// The receivers of a signal.
public enum Audience: Hashable, Sendable {
    case clients([ClientName])
    /// Without destination, for a session that was started with `broadcast`.
    case everyone
}

/// A signal from a session to its owner and its subscribers.
public enum SessionSignal: Hashable, Sendable {
    case partial(BlockNumber, offset: Int, stable: String, volatile: VolatileText)
    case final(FinishedBlock)
    /// The user took text back: `scalars` Unicode scalars from `offset` to the end of the block's sent text.
    case retracted(BlockNumber, offset: Int, scalars: Int)
    /// The user said a phrase that the client registered.
    case command(String)
    case interrupted(Reason, all: [Reason])
    /// With the reason that ended last.
    case resumed(Reason, EndedInterruption)
    case routeChanged(RouteChangeReason, previous: Route?, current: Route?)
    case stateChanged(SessionState, cause: StateCause, reasons: [Reason], pending: Int)
    /// With the length of the recording, in frames.
    case stopped(StopReason, recorded: Double? = nil)
    case segmentRecorded(RecordedSegment)
    case error(Refusal)
    case level(SoundLevel)
    /// All that is wrong with the sound now.
    case problemsChanged([InputProblem])
}

/// The level of a stretch of sound.
public struct SoundLevel: Hashable, Sendable {
    /// The root mean square, in decibels below full scale.
    public var rms: Double
    /// In decibels below full scale.
    public var peak: Double
    /// The minimum and the maximum of each part of the stretch, -1 to 1; empty if the client does not draw it.
    public var waveform: [ClosedRange<Double>]

    public init(rms: Double, peak: Double, waveform: [ClosedRange<Double>] = []) {
        self.rms = rms
        self.peak = peak
        self.waveform = waveform
    }
}

/// An interruption that is over.
public struct EndedInterruption: Hashable, Sendable {
    /// All reasons that held during it.
    public var reasons: [Reason]
    /// In seconds.
    public var duration: Double
    /// What was rebuilt for it, in the order of ``RebuiltPart``.
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

/// What may be rebuilt to end an interruption.
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
    /// Stop was called. Commits in progress are being finished.
    case stopped
    /// The service was restarted after a crash.
    case restored
    /// A lingering session was unused for ``Settings/idlePause``.
    case idle
    /// The interruption lasted longer than ``Settings/resumeLimits`` allows.
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
        case .restored: "service-restarted"
        case .idle: "idle"
        case .resumeLimit: "resume-limit"
        case .reason(let reason): reason.rawValue
        }
    }
}
