/// One dictation, from Start to Stop: what its owner wants, what it has heard, and how its capture stands.
struct Session: Hashable, Sendable {
    enum Intention: Hashable, Sendable { case listen, pause }

    /// The capture stream, or, for a session with input, the reading of it.
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

    /// Something failed that is tried again.
    struct Trouble: Hashable, Sendable {
        var reason: Reason
        var retryAt: Duration
        /// It keeps the session from listening. The first failure of a stream that flowed does not: another
        /// is opened at once, and mostly that is all.
        var isReason: Bool
    }

    enum Engine: Hashable, Sendable {
        /// The model is being loaded; what is said meanwhile is kept.
        case opening
        case ready
        /// Nothing can be asked of it until it is opened anew.
        case gone(retryAt: Duration)

        var isGone: Bool {
            if case .gone = self { true } else { false }
        }
    }

    /// An interruption, from Interrupted to its end.
    struct Episode: Hashable, Sendable {
        /// On the clock of ``Moment/elapsed``.
        var began: Duration
        /// Every reason that held during it, in order of appearance.
        var reasons: [Reason]
        /// The last one to go.
        var lastCleared: Reason
        var hasToldError = false
        /// Besides the connection to the audio server, of which the reasons tell.
        var rebuilt: Set<RebuiltPart> = []
        /// Of the session, when it began.
        var droppedFramesBefore: Int
    }

    /// What the owner and the subscribers were told last.
    struct Told: Hashable, Sendable {
        var state: SessionState
        var reasons: [Reason] = []
        var pending = 0
    }

    struct Ending: Hashable, Sendable {
        var reason: StopReason
        var waiters: [Waiter] = []
        /// Commits that are not done by then are cancelled.
        var deadline: Duration?
    }

    static let keptFinals = 16
    static let keptCaptures = 4
    /// A second of sound shows that a stream works, and that the next failure is another story.
    static let steadyFrames = 16_000

    let id: SessionID
    let identity: Identity
    let group: ControlGroup
    let options: StartOptions
    /// Nil once the connection of a lingering session is gone.
    var owner: ClientName?
    /// What the user allowed its connection for once, which a lingering session keeps.
    var allowedOnce: Set<Resource> = []
    /// What its client may do now: ``World/permission(of:)``, renewed when that changes.
    var permission = Permission.notDetermined

    var intention = Intention.listen
    /// Grows with each explicit Start and Resume of the world: the latest has the microphone.
    var wantedSince: UInt64

    var stream = Stream.closed
    /// The last streams, open or not, the newest behind: what one has lost may become known after it was closed and
    /// another opened.
    var recentCaptures: [CaptureID] = []
    /// What the stream was opened for; nil follows the default.
    var target: NodeName?
    /// Targets that failed; what is next in line serves until they have gone and come back, or are asked for
    /// again.
    var refusedTargets: Set<NodeName> = []
    var streamTrouble: Trouble?
    /// Failures since a stream last delivered ``steadyFrames``.
    var streamFailures = 0
    var flowingFrames = 0

    var engine = Engine.opening
    /// All decoders are in use by others, and this session's audio waits for one.
    var waitsForDecoder = false
    /// Whether the engine has failed and not been ready since.
    var hasEngineTrouble = false
    /// Failures since an engine last understood something.
    var engineFailures = 0

    /// The source at the other end of the stream, kept when the stream closes to tell what has changed.
    var source: Source?
    var isLinked = false
    var serverWasLost = false
    /// The file or pipe is at its end; what it said is committed as soon as that may be.
    var hasInputEnded = false

    var reasons: [Reason] = []
    var episode: Episode?
    var untoldError: Refusal?
    var told = Told(state: .idle)
    /// What brought about the next change of state.
    var cause = StateCause.started

    var block: Block
    var commits: [Commit] = []
    var finals: [FinishedBlock] = []
    var ending: Ending?

    var capturedFrames = 0
    var droppedFrames = 0
    var lag = 0.0
    /// The last call or speech.
    var lastActivity: Duration
    /// The last sign of life of the decoder, or the beginning of the wait for one.
    var lastProgress: Duration
    /// Before then the next Partial waits, and is merged with what comes.
    var nextPartial: Duration

    init(_ id: SessionID, by client: Client, options: StartOptions, wantedSince: UInt64, at now: Duration) {
        self.id = id
        identity = client.identity
        group = client.controlGroup
        self.options = options
        owner = client.name
        block = Block(number: 1, formatting: options.formatting)
        self.wantedSince = wantedSince
        lastActivity = now
        lastProgress = now
        nextPartial = now
    }

    var usesMicrophone: Bool { !options.hasInput }

    /// What its recogniser is asked for. A file goes faster than time, and is not committed by silence.
    var transcription: TranscriptionRequest {
        var request = options.transcription
        request.silenceLimit = usesMicrophone ? options.autoCommit : nil
        return request
    }

    /// Nothing more will be heard.
    var isFinishing: Bool { ending != nil || hasInputEnded }

    var hasOpenedStream: Bool { !recentCaptures.isEmpty }

    var wantsToListen: Bool { intention == .listen && ending == nil }

    var state: SessionState {
        if intention == .pause || ending != nil { return .paused }
        if !reasons.isEmpty { return .interrupted }
        if stream.isFlowing { return .listening }
        return episode == nil ? .starting : .interrupted
    }

    /// The source it captures from now.
    var sourceInUse: Source? { stream.id != nil && isLinked ? source : nil }
}
