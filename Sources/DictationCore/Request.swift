/// Number of a call that waits for its answer, unique while the service runs.
public struct CallID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Number of a session, unique while the service runs.
public struct SessionID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Number of an opened capture stream, so that what a closed one still tells is known for stale.
public struct CaptureID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A call, its arguments checked.
public enum Request: Hashable, Sendable {
    /// The session gets this number, if it begins.
    case start(SessionID, StartOptions)
    case pause
    case resume
    case commit
    case cancel
    case stop
    /// Of every session of the user, whoever started it.
    case stopAll
    case subscribe(text: Bool)
    case getSession
    case checkPermission
    case listRoutes
    case selectRoute(NodeName?)
}

public struct StartOptions: Hashable, Sendable {
    public var lingers = false
    public var broadcasts = false
    /// The sound comes from a file or pipe instead of the microphone.
    public var hasInput = false
    public var sendsPartials = true
    public var sendsLevels = false
    /// Players are paused while it listens.
    public var pausesPlayback = true
    /// Silence after which a block with speech is committed; nil never.
    public var autoCommit: Duration?
    /// The microphone for this session; nil follows the world's choice.
    public var route: NodeName?
    /// How words become text; nil leaves them as the engine gives them.
    public var formatting: Formatting?
    public var transcription: TranscriptionRequest

    public init(transcription: TranscriptionRequest) {
        self.transcription = transcription
    }

    /// What must be granted.
    var resources: [Resource] { hasInput ? [.speech] : [.microphone, .speech] }
}

/// How words become text as people write it.
public struct Formatting: Hashable, Sendable {
    public var lexicon: Lexicon
    /// Names of the engines that write capitals and marks themselves.
    public var punctuatingEngines: Set<String>

    public init(_ lexicon: Lexicon, punctuatingEngines: Set<String> = []) {
        self.lexicon = lexicon
        self.punctuatingEngines = punctuatingEngines
    }

    var writtenForm: WrittenForm { WrittenForm(lexicon) }
}

/// What a session asks of its recogniser.
public struct TranscriptionRequest: Hashable, Sendable {
    /// What is said for marks, which an engine may tell from the same words: see ``SpokenMark``. It knows how they are
    /// pronounced or leaves them out.
    public var spokenMarks: [String] = []

    public struct VocabularyEntry: Hashable, Sendable {
        public var word: String
        /// In the phones of the model; nil lets the engine guess, where it can.
        public var pronunciation: String?

        /// It is left out where it cannot be used: nobody asked for it in this session.
        public var isOptional: Bool

        public init(word: String, pronunciation: String? = nil, isOptional: Bool = false) {
            self.word = word
            self.pronunciation = pronunciation
            self.isOptional = isOptional
        }
    }

    public var engine: String
    /// Gives text while people speak, until the engine has the final text; nil where the engine needs none.
    public var previewEngine: String?
    /// BCP 47.
    public var language: String
    /// JSGF; nil for free dictation.
    @ComparedByBytes public var grammar: String?
    public var vocabulary: [VocabularyEntry]
    /// The longest segment.
    public var segmentLimit: Duration
    /// The audio is all there already: nobody waits for the text of unfinished segments.
    public var isRecorded: Bool
    /// Silence behind speech that is to be told, measured in samples; nil tells none.
    public var silenceLimit: Duration?

    public init(
        engine: String, language: String, grammar: String? = nil, vocabulary: [VocabularyEntry] = [],
        segmentLimit: Duration = .seconds(20), isRecorded: Bool = false, silenceLimit: Duration? = nil
    ) {
        self.engine = engine
        self.language = language
        self.grammar = grammar
        self.vocabulary = vocabulary
        self.segmentLimit = segmentLimit
        self.isRecorded = isRecorded
        self.silenceLimit = silenceLimit
    }
}

/// The answer to a call that was done.
public enum Reply: Hashable, Sendable {
    case done
    case started(SessionID)
    case committed(FinishedBlock)
    case cancelled(BlockNumber)
    /// How many sessions StopAll ends.
    case stopping(Int)
    case session(SessionReport)
    case permission(Permission)
    case routes([Route])
}

/// A microphone as a client sees it.
public struct Route: Hashable, Sendable {
    public var source: Source
    /// It is there now.
    public var isAvailable: Bool
    public var isDefault: Bool
    public var isSelected: Bool
    /// A session captures from it now.
    public var isInUse: Bool
}

/// What GetSession tells.
public struct SessionReport: Hashable, Sendable {
    public var session: SessionID?
    public var state: SessionState
    public var reasons: [Reason] = []
    /// What says that the screen is locked; nil where it is not.
    public var lockedBy: LockSource?
    public var pending = 0
    public var block: BlockNumber = 0
    public var text = ""
    /// The last blocks that were finished, oldest first.
    public var finals: [FinishedBlock] = []
    public var route: Route?
    /// At 16 kHz.
    public var droppedFrames = 0
    /// Seconds of sound since Start.
    public var duration = 0.0
    /// Seconds by which decoding is behind.
    public var lag = 0.0
    public var lingers = false
    public var isOwner = false
    /// Words of the session, with the pronunciations that were made.
    public var vocabulary: [TranscriptionRequest.VocabularyEntry] = []

    static let idle = SessionReport(session: nil, state: .idle)
}
