public import DBus
import DictationInterface

/// The state of a session.
public struct SessionStatus: Hashable, Sendable {
    /// Number of the session; nil if there is none.
    public var session: UInt64?
    /// ``SessionState/idle`` if there is no session.
    public var state: SessionState
    /// The reasons of its interruption, the latest last.
    public var reasons: [InterruptionReason]
    /// The evidence that the screen is locked: "locked-hint" or "lock-signal", both of logind, or the bus name of a
    /// screen saver. Nil if it is not locked.
    public var lockedBy: String?
    /// Commits in progress.
    public var pending: Int
    /// Number of the current block.
    public var block: UInt64
    /// The text of the current block so far.
    public var text: String
    /// The last finished blocks, oldest first.
    public var finals: [Final]
    /// The microphone in use.
    public var route: Route?
    /// Frames, at 16 kHz, lost since Start.
    public var dropouts: UInt64
    /// Seconds of audio since Start.
    public var duration: Double
    /// Seconds by which recognition lags behind the audio.
    public var lag: Double
    /// What is wrong with the sound now.
    public var problems: [SoundProblem]
    /// The language that is spoken, as a BCP 47 tag; nil if the service does not report it.
    public var language: String?
    /// How words become text; nil if the service does not report it.
    public var formatting: StartOptions.Formatting?
    /// Its words and their pronunciations: several for a word that has several ways, none for one of the dictionary.
    public var vocabulary: [StartOptions.VocabularyEntry]
    /// Whether it outlives the connection that started it.
    public var lingers: Bool
    /// Whether this connection started it.
    public var isOwner: Bool

    /// `details` as GetSession returns it.
    public init(_ details: [BusText: Value]) {
        let details = SessionDetails(details)
        session = details.session
        state = details.state.map(SessionState.init) ?? .idle
        reasons = details.reasons?.map(InterruptionReason.init) ?? []
        lockedBy = details.lockedBy
        pending = Int(details.pending ?? 0)
        block = details.block ?? 0
        text = details.text ?? ""
        finals = details.finals?.map { Final(block: $0.block, text: $0.text) } ?? []
        route = details.route.flatMap(Route.init)
        dropouts = details.dropouts ?? 0
        duration = details.duration ?? 0
        lag = details.lag ?? 0
        problems = details.problems?.map(SoundProblem.init) ?? []
        language = details.language
        formatting = details.formatting.flatMap { StartOptions.Formatting(rawValue: $0) }
        vocabulary =
            details.vocabulary?.map {
                .init($0.word, pronunciation: $0.pronunciation.isEmpty ? nil : $0.pronunciation)
            } ?? []
        lingers = details.linger ?? false
        isOwner = details.owner ?? false
    }
}
