/// Number of a pending call, unique while the service runs.
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

/// Number of an opened capture stream. Events of a closed stream are recognised by it and ignored.
public struct CaptureID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A method call with checked arguments.
public enum Request: Hashable, Sendable {
    /// With the number of the session, if it begins.
    case start(SessionID, StartOptions)
    case pause
    case resume
    case commit
    case cancel
    case stop
    /// Stops every session of the user, whichever client started it.
    case stopAll
    case subscribe(text: Bool)
    case getSession
    case checkPermission
    case listRoutes
    case selectRoute(NodeName?)
    /// Whether the history keeps the session's texts, from the current block on.
    case keepTexts(Bool)
    /// Whether a secret field, such as one for a password, has the focus of the user for whom the session is typed: nobody gets
    /// the text of the blocks that are spoken meanwhile.
    case secretField(Bool)
}

public struct StartOptions: Hashable, Sendable {
    /// The others are preliminary, until ``Event/settled(_:_:)``. Meanwhile the session listens, and its sound waits.
    public var areUnsettled = false
    public var lingers = false
    /// No connection ends it. Like a lingering session, it pauses and ends if it is left alone.
    public var outlastsConnection = false
    public var broadcasts = false
    /// The sound comes from a file or pipe instead of the microphone.
    public var hasInput = false
    public var sendsPartials = true
    public var sendsLevels = false
    /// Levels have a waveform.
    public var sendsWaveform = false
    /// Media players are paused while the session listens.
    public var pausesPlayback = true
    /// The length of silence that commits a block with speech; nil: never.
    public var autoCommit: Duration?
    /// The microphone for this session; nil follows the world's choice.
    public var route: NodeName?
    /// Nil if nothing is recorded.
    public var recording: RecordingRequest?
    /// How words become written text; nil: the text is as the engine gives it.
    public var formatting: Formatting?
    /// What is left out of the text; nil: nothing.
    public var cleanUp: CleanUp?
    /// The program that gets each final text; nil: none.
    public var filter: String?
    /// The user allows the history to keep its texts.
    public var mayKeepTexts = false
    /// The client wants the history to keep its texts.
    public var keepsTexts = true
    /// The sound of its blocks is kept until their texts are final.
    public var keepsSound = false
    /// The desktop id of the application into whose window the client types; nil if that is not known.
    public var application: String?
    public var transcription: TranscriptionRequest

    public init(transcription: TranscriptionRequest) {
        self.transcription = transcription
    }

    /// The permissions that the session needs.
    var resources: [Resource] { hasInput ? [.speech] : [.microphone, .speech] }
}

/// How words become written text.
public struct Formatting: Hashable, Sendable {
    public var lexicon: Lexicon
    /// The language of ``lexicon``, as the request has it; empty if it is the only one.
    public var language: String
    /// The lexicons of other languages that may be spoken.
    public var otherLexicons: [String: Lexicon]
    /// Names of the engines that write capitals and punctuation themselves.
    public var punctuatingEngines: Set<String>

    public init(
        _ lexicon: Lexicon, of language: String = "", others: [String: Lexicon] = [:],
        punctuatingEngines: Set<String> = []
    ) {
        self.lexicon = lexicon
        self.language = language
        otherLexicons = others
        self.punctuatingEngines = punctuatingEngines
    }

    /// Nil if the language has no rules.
    public func lexicon(of language: String) -> Lexicon? {
        language == self.language ? lexicon : otherLexicons[language]
    }

    var writtenForm: WrittenForm { WrittenForm(lexicon, of: language, others: otherLexicons) }
}

/// A session's request to its recogniser.
public struct TranscriptionRequest: Hashable, Sendable {
    /// The phrases for punctuation marks that the engine should distinguish from the same words: see ``SpokenMark``. An
    /// engine ignores those whose pronunciation it does not know.
    public var spokenMarks: [String] = []

    public var engine: String
    /// The engine for text during speech, until ``engine`` has the final text; nil if that needs none.
    public var previewEngine: String?
    /// BCP 47.
    public var language: String
    /// The languages of the models that the engines use for it, by engine.
    public var models: [String: String] = [:]
    /// Other languages that may be spoken. An engine that detects the language detects it among all of them.
    public var otherLanguages: [String] = []
    /// JSGF; nil for free dictation.
    @ComparedByBytes public var grammar: String?
    public var vocabulary: [VocabularyEntry]
    /// The longest segment.
    public var segmentLimit: Duration
    /// The audio is a recording. Hypotheses of unfinished segments are not needed.
    public var isRecorded: Bool
    /// The audio comes from a file or pipe, which is read as fast as it is recognised.
    public var inputWaits = false
    /// The length of silence after speech that is reported, measured in samples; nil: none.
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

/// The reply to a successful call.
public enum Reply: Hashable, Sendable {
    case done
    case started(SessionID)
    case committed(FinishedBlock)
    case cancelled(BlockNumber)
    /// The number of sessions that StopAll ends.
    case stopping(Int)
    case session(SessionReport)
    case permission(Permission)
    case routes([Route])
}

/// A microphone as a client sees it.
public struct Route: Hashable, Sendable {
    public var source: Source
    /// Whether the source is present.
    public var isAvailable: Bool
    public var isDefault: Bool
    public var isSelected: Bool
    /// A session captures from it now.
    public var isInUse: Bool
}

/// The reply to GetSession.
public struct SessionReport: Hashable, Sendable {
    public var session: SessionID?
    public var state: SessionState
    public var reasons: [Reason] = []
    /// The source that reports the lock; nil if the screen is not locked.
    public var lockedBy: LockSource?
    public var pending = 0
    public var block: BlockNumber = 0
    public var text = ""
    /// The last blocks that were finished, oldest first.
    public var finals: [FinishedBlock] = []
    public var route: Route?
    /// Lost frames at 16 kHz.
    public var droppedFrames = 0
    /// Seconds of sound since Start.
    public var duration = 0.0
    /// Seconds by which decoding lags behind the audio.
    public var lag = 0.0
    /// What is wrong with the sound now.
    public var problems: [InputProblem] = []
    /// BCP 47.
    public var language = ""
    /// Whether words become written text.
    public var isFormatted = false
    public var lingers = false
    public var isOwner = false
    /// The session's vocabulary, with the pronunciations that were derived from spelling.
    public var vocabulary: [TranscriptionRequest.VocabularyEntry] = []

    static let idle = SessionReport(session: nil, state: .idle)
}
