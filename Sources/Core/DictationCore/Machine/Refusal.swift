/// Why a call failed: a kind for programs and a message that says what to do.
public struct Refusal: Error, Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case permissionDenied
        case permissionRequired
        case notRunning
        case alreadyRunning
        case noSource
        case routeChangeFailed
        case audioServerUnavailable
        case engineUnavailable
        case engineFailed
        case unsupportedFormat
        case unsupportedLanguage
        case limitExceeded
        case fileWrite
        case timeout
        case cancelled
        case noField
        case secretField
        /// Sent as `org.freedesktop.DBus.Error.InvalidArgs`.
        case invalidArguments
        /// Sent as `org.freedesktop.DBus.Error.AccessDenied`.
        case accessDenied
        /// Sent as `org.freedesktop.DBus.Error.NotSupported`.
        case notSupported
    }

    public var kind: Kind
    /// In English, for people; holds no dictated text.
    public var message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    static let notRunning = Refusal(.notRunning, "There is no session to act on: call Start first.")
}
