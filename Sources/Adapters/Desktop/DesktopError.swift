/// A failure of a part of the desktop session.
public struct DesktopError: Error, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The system bus, which logind is on, cannot be reached.
        case noSystemBus
        /// logind is not there, does not answer, or does not know the user.
        case noSeat
        /// Sleep cannot be delayed: capture may be cut off.
        case noInhibitor
        /// The restart of the audio server will not be noticed at once.
        case noSocketWatch
        /// No real-time priority: audio may be lost on a busy machine.
        case noRealTime
        /// A media player did not answer or did not obey.
        case player
        /// The media players cannot be observed.
        case noPlayers
        /// No prompter is available, or it failed. This is never the user's answer.
        case noPrompter
        /// The desktop does not watch the shortcut.
        case noShortcut
        /// The tray does not take the item.
        case noTray
    }

    public let code: Code
    public let underlying: any Error
    /// The player or prompter, where there are several.
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
            case .noSeat: "logind does not report whether the user is present"
            case .noInhibitor: "logind does not allow delaying sleep"
            case .noSocketWatch: "The audio server's socket cannot be watched"
            case .noRealTime: "The capture thread has no real-time priority"
            case .player: "The media player \(subject ?? "") does not answer"
            case .noPlayers: "The media players cannot be observed"
            case .noPrompter: "\(subject ?? "The desktop") cannot ask the user"
            case .noShortcut: "The desktop does not bind the shortcut"
            case .noTray: "The tray does not show dictation"
            }
        return "\(what): \(underlying)"
    }
}
