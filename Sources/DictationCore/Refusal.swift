/// Why a call failed: a kind for programs and a message that says what to do.
public struct Refusal: Error, Hashable, Sendable {
    /// The last part of the error's D-Bus name.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case permissionDenied = "PermissionDenied"
        case permissionRequired = "PermissionRequired"
        case notRunning = "NotRunning"
        case alreadyRunning = "AlreadyRunning"
        case noSource = "NoSource"
        case routeChangeFailed = "RouteChangeFailed"
        case audioServerUnavailable = "AudioServerUnavailable"
        case engineUnavailable = "EngineUnavailable"
        case engineFailed = "EngineFailed"
        case unsupportedFormat = "UnsupportedFormat"
        case unsupportedLanguage = "UnsupportedLanguage"
        case limitExceeded = "LimitExceeded"
        case fileWrite = "FileWrite"
        case timeout = "Timeout"
        case cancelled = "Cancelled"
        /// Sent as `org.freedesktop.DBus.Error.InvalidArgs`.
        case invalidArguments = "InvalidArgs"
        /// Sent as `org.freedesktop.DBus.Error.AccessDenied`.
        case accessDenied = "AccessDenied"
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
