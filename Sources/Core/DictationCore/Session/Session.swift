/// One dictation, from Start to Stop: what its client wants, its text, and the state of its stream and its engine.
///
/// Methods append what is to be done to `effects`.
struct Session: Hashable, Sendable {
    enum Intention: Hashable, Sendable { case listen, pause }

    /// The capture stream, or, for a session with input, the reading of its file or pipe.
    enum Stream: Hashable, Sendable {
        case closed
        case opening(CaptureID, since: Duration)
        case flowing(CaptureID)

        var id: CaptureID? {
            switch self {
            case .closed: nil
            case .opening(let id, _), .flowing(let id): id
            }
        }

        var isFlowing: Bool {
            if case .flowing = self { true } else { false }
        }
    }

    /// A stream failed and is opened again later.
    struct Retry: Hashable, Sendable {
        var reason: Reason
        var retryTime: Duration
        /// Whether the failure interrupts the session. The first failure of a stream that delivered sound does not:
        /// another stream is opened at once, which mostly works.
        var interrupts: Bool
    }

    enum Engine: Hashable, Sendable {
        /// It is opened when the options are settled. Audio and commands are kept until then.
        case unsettled
        /// The model is being loaded. Audio is kept meanwhile.
        case opening
        case ready
        /// It gets no commands until it is opened again.
        case gone(retryTime: Duration)

        var isGone: Bool {
            if case .gone = self { true } else { false }
        }
    }

    /// An interruption, from the signal Interrupted to its end.
    struct Interruption: Hashable, Sendable {
        /// On the clock of ``Moment/elapsed``.
        var began: Duration
        /// Every reason that held during it, in the order of their beginning.
        var reasons: [Reason]
        /// The reason that ended last.
        var lastCleared: Reason
        var hasSentError = false
        /// Without the connection to the audio server, which follows from the reasons.
        var rebuilt: Set<RebuiltPart> = []
        /// The session's count when the interruption began.
        var droppedFramesBefore: Int
    }

    /// The contents of the last StateChanged.
    struct SentState: Hashable, Sendable {
        var state: SessionState
        var reasons: [Reason] = []
        var pending = 0
    }

    struct Ending: Hashable, Sendable {
        var reason: StopReason
        var waiters: [Waiter] = []
        /// Dictation ended by itself. If permission is missing, the session ends when it returns, so that what is
        /// committed can be sent. A call that ends the session does not wait.
        var waitsForPermission = false
        /// The session stays in its journal, for the next service.
        var isLeft = false
        /// Commits that are not finished by then are cancelled.
        var deadline: Duration?
    }

    static let keptFinals = 16
    static let keptCaptures = 4
    /// After a second of sound a stream counts as working: its next failure is retried at once.
    static let steadyFrames = 16_000

    let id: SessionID
    let identity: Identity
    let group: ControlGroup
    private(set) var options: StartOptions
    /// Nil after the connection of a lingering session closed.
    var owner: ClientName?
    /// What the user allowed for this connection only. A lingering session keeps it.
    var allowedOnce: Set<Resource> = []
    /// What its client may do now: ``World/permission(of:)``, updated when that changes.
    var permission = Permission.notDetermined

    var intention = Intention.listen
    /// Number of the last Start or Resume, counted over all sessions: the latest has the microphone.
    var wantedSince: UInt64

    var stream = Stream.closed
    /// The last streams, open or closed, the newest last. Lost frames may be reported after a stream was closed.
    var recentCaptures: [CaptureID] = []
    /// The microphone that the stream was opened on; nil follows the default.
    var target: NodeName?
    /// Microphones that failed. The next preferred one is used until they disappear and come back, or are selected
    /// again.
    var refusedTargets: Set<NodeName> = []
    var streamRetry: Retry?
    /// Failures since a stream last delivered ``steadyFrames``.
    var streamFailures = 0
    var flowingFrames = 0

    var engine: Engine
    /// All decoders are in use by other sessions, and this session's audio waits for one.
    var waitsForDecoder = false
    /// Whether the engine has failed and not been ready since.
    var hasEngineFailed = false
    /// Failures since an engine last gave text.
    var engineFailures = 0

    /// The source that the stream was last linked to. Kept after the stream closes, to compare with the next.
    var source: Source?
    var isLinked = false
    var serverWasLost = false
    /// The file or pipe is at its end. The block is committed when permission allows.
    var hasInputEnded = false

    var reasons: [Reason] = []
    var interruption: Interruption?
    var queuedError: Refusal?
    var lastSent = SentState(state: .idle)
    /// The cause of the next StateChanged.
    var cause = StateCause.started

    /// The client wants the history to keep its texts now.
    var keepsTexts: Bool
    /// A secret field has the focus.
    var hasSecretField = false
    var block: Block
    var commits: [Commit] = []
    var finals: [FinishedBlock] = []
    var ending: Ending?
    var recording: RecordingState?
    /// It was restored after a crash, and its client has not used it since. It ends at this time.
    var unclaimedUntil: Duration?
    /// Of the block that was restored.
    var clockShift: ClockShift?

    var capturedFrames = 0
    var droppedFrames = 0
    /// Of the present stream.
    var inputMonitor = InputMonitor()
    /// Which channels of the microphone are captured.
    var channelChoice = ChannelChoice()
    /// The contents of the last ProblemsChanged.
    var sentProblems: [InputProblem] = []
    var lag = 0.0
    /// The time of the last call or speech.
    var lastActivity: Duration
    /// Where the last speech ended; nil during speech.
    var speechEnd: SpeechEnd?
    /// The time of the decoder's last event, or of the beginning of the wait for one.
    var lastProgress: Duration
    /// The earliest time of the next Partial. Changes before then are merged.
    var nextPartial: Duration

    init(_ id: SessionID, by client: Client, options: StartOptions, wantedSince: UInt64, at now: Duration) {
        self.id = id
        identity = client.identity
        group = client.controlGroup
        self.options = options
        owner = client.name
        block = Block(
            number: 1, formatting: options.formatting, cleanUp: options.cleanUp,
            isFiltered: options.filter != nil)
        engine = options.areUnsettled ? .unsettled : .opening
        keepsTexts = options.keepsTexts
        block.isSecret = !keepsTexts
        recording = options.recording.map { _ in RecordingState() }
        self.wantedSince = wantedSince
        lastActivity = now
        lastProgress = now
        nextPartial = now
    }

    /// The recogniser gets the sound that has waited, from the first block on.
    mutating func settle(_ options: StartOptions, at now: Duration, _ effects: inout [Effect]) {
        guard engine == .unsettled else { return }
        self.options = options
        block.use(options)
        for index in commits.indices { commits[index].block.use(options) }
        engine = .opening
        lastProgress = now
        effects.append(.openTranscription(id, transcription, 1))
    }

    var usesMicrophone: Bool { !options.hasInput }

    /// The request to the recogniser. A file is read faster than real time, so silence in it commits nothing.
    var transcription: TranscriptionRequest {
        var request = options.transcription
        request.silenceLimit = usesMicrophone ? options.autoCommit : nil
        return request
    }

    /// No more audio will come.
    var isFinishing: Bool { ending != nil || hasInputEnded }

    var hasOpenedStream: Bool { !recentCaptures.isEmpty }

    var wantsToListen: Bool { intention == .listen && ending == nil }

    var state: SessionState {
        if intention == .pause || ending != nil { return .paused }
        if !reasons.isEmpty { return .interrupted }
        if stream.isFlowing { return .listening }
        return interruption == nil ? .starting : .interrupted
    }

    /// The source that it captures from now.
    var sourceInUse: Source? { stream.id != nil && isLinked ? source : nil }
}

/// The end of speech in the sound of a block.
struct SpeechEnd: Hashable, Sendable {
    var block: BlockNumber
    /// On the block's clock.
    var seconds: Double
    /// When it was reported.
    var time: Duration
}
