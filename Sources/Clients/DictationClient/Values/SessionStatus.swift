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
    /// Whether it outlives the connection that started it.
    public var lingers: Bool
    /// Whether this connection started it.
    public var isOwner: Bool

    /// `details` as GetSession returns it.
    public init(_ details: [BusText: Value]) {
        session = details.value(SessionKey.session)
        state = details.value(SessionKey.state).map(SessionState.init) ?? .idle
        reasons = details.words(SessionKey.reasons)
        lockedBy = details.value(SessionKey.lockedBy)
        pending = Int(details.value(SessionKey.pending, as: UInt32.self) ?? 0)
        block = details.value(SessionKey.block) ?? 0
        text = details.value(SessionKey.text) ?? ""
        finals = details.list(SessionKey.finals).compactMap { value in
            guard case .structure(let fields) = value, fields.count == 2, let block = UInt64(fields[0]),
                let text = String(fields[1])
            else { return nil }
            return Final(block: block, text: text)
        }
        route = details.value(SessionKey.route).flatMap(Route.init)
        dropouts = details.value(SessionKey.dropouts) ?? 0
        duration = details.value(SessionKey.duration) ?? 0
        lag = details.value(SessionKey.lag) ?? 0
        problems = details.words(SessionKey.problems)
        language = details.value(SessionKey.language)
        formatting = details.value(SessionKey.formatting).flatMap { StartOptions.Formatting(rawValue: $0) }
        lingers = details.value(SessionKey.linger) ?? false
        isOwner = details.value(SessionKey.owner) ?? false
    }
}
