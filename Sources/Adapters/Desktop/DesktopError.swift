/// What the desktop session cannot lend at present.
public struct DesktopError: Error, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// There is no bus on which logind could be asked.
        case noSystemBus
        /// logind does not tell of the user: it is not there, or does not answer, or does not know the user.
        case noSeat
        /// Sleep cannot be delayed: capture may be cut off in the middle.
        case noInhibitor
        /// It will not be noticed at once when the audio server comes back.
        case noSocketWatch
        /// Nobody gives real-time priority: on a busy machine sound may be lost.
        case noRealTime
        /// A media player did not answer, or did not do what it was asked.
        case player
        /// The players cannot be followed.
        case noPlayers
        /// Nobody is there to ask the user, or the question failed. This is never the user's answer.
        case noPrompter
        /// The desktop does not watch the shortcut.
        case noShortcut
    }

    public let code: Code
    public let underlying: any Error
    /// Which player or prompter it was, where there are several.
    public let subject: String?

    public init(_ code: Code, _ underlying: any Error, of subject: String? = nil) {
        self.code = code
        self.underlying = underlying
        self.subject = subject
    }

    public var description: String {
        let what =
            switch code {
            case .noSystemBus: "The system bus cannot be reached"
            case .noSeat: "logind does not tell whether the user is there"
            case .noInhibitor: "logind does not let sleep be delayed"
            case .noSocketWatch: "The audio server's socket cannot be watched"
            case .noRealTime: "Capturing has no real-time priority"
            case .player: "The media player \(subject ?? "") does not answer"
            case .noPlayers: "The media players cannot be followed"
            case .noPrompter: "\(subject ?? "The desktop") cannot ask the user"
            case .noShortcut: "The desktop does not bind the shortcut"
            }
        return "\(what): \(underlying)"
    }
}
