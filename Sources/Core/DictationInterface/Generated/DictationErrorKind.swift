// Written by packaging/generate from dbus/*.xml; change those instead.

/// Errors of the interface. Their names on the bus begin with `org.example.Dictation.Error.`
public enum DictationErrorKind: String, CaseIterable, Sendable {
    /// The user or the administrator denied permission.
    case permissionDenied = "PermissionDenied"
    /// The user has not been asked yet: call RequestPermission.
    case permissionRequired = "PermissionRequired"
    /// There is no session for this call to act on.
    case notRunning = "NotRunning"
    /// This connection has a session, or its control group a lingering one; the message names
    /// the connection that started it. Or another session types into windows.
    case alreadyRunning = "AlreadyRunning"
    /// There is no such microphone.
    case noSource = "NoSource"
    /// The microphone cannot be used.
    case routeChangeFailed = "RouteChangeFailed"
    /// PipeWire cannot be reached.
    case audioServerUnavailable = "AudioServerUnavailable"
    /// The engine or its model is not installed; the message says what to install.
    case engineUnavailable = "EngineUnavailable"
    /// The engine failed on the audio.
    case engineFailed = "EngineFailed"
    /// The file given as "input" is not audio that can be read.
    case unsupportedFormat = "UnsupportedFormat"
    /// No model for this language.
    case unsupportedLanguage = "UnsupportedLanguage"
    /// Too many sessions or requests at the same time, of the caller's application or of its user.
    case limitExceeded = "LimitExceeded"
    /// A file cannot be written; the message says why.
    case fileWrite = "FileWrite"
    /// It took too long.
    case timeout = "Timeout"
    /// The session ended before the call could be answered.
    case cancelled = "Cancelled"
    /// No text field has the focus.
    case noField = "NoField"
    /// The field with the focus is for a password or otherwise private.
    case secretField = "SecretField"
}
