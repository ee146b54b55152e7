import DBus
import DictationInterface

/// Why something could not be done.
public struct DictationError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The user or the administrator said no.
        case permissionDenied
        /// The user has not been asked yet.
        case permissionRequired
        /// There is no session to act on.
        case notRunning
        /// There is a session already.
        case alreadyRunning
        case noSource
        case routeChangeFailed
        case audioServerUnavailable
        /// The engine or its model is not installed; the message says what to install.
        case engineUnavailable
        case engineFailed
        case unsupportedFormat
        case unsupportedLanguage
        case limitExceeded
        /// What was to be kept cannot be written; the message says why.
        case fileWrite
        case timeout
        /// The session ended before the call could be answered.
        case cancelled
        case invalidArguments
        /// This user may not use the service.
        case accessDenied
        /// There is no service, and the bus cannot start one.
        case serviceUnavailable
        /// The service went away, and the session with it.
        case serviceVanished
        /// The bus cannot be reached, or has gone.
        case disconnected
        /// Any other error of the bus, or of a newer service.
        case other
    }

    public var code: Code
    /// The D-Bus error's name.
    public var name: String
    /// For people, in English; says what to do where something can be done.
    public var message: String

    public var description: String { message.isEmpty ? name : message }

    public init(_ code: Code, name: String = "", message: String) {
        self.code = code
        self.name = name
        self.message = message
    }

    /// An error that came over the bus.
    public init(name: String, message: String) {
        let kind = DictationInterface.errorKind(name)
        self.init(kind.map(Self.code) ?? Self.code(ofStandard: name), name: name, message: message)
    }

    init(_ error: any Error) {
        switch error {
        case let error as DictationError: self = error
        case let error as DBusError: self.init(name: error.name.rawValue, message: error.message)
        case is CancellationError: self.init(.cancelled, message: "The task was cancelled.")
        default: self.init(.other, message: "\(error)")
        }
    }

    private static func code(of kind: DictationErrorKind) -> Code {
        switch kind {
        case .permissionDenied: .permissionDenied
        case .permissionRequired: .permissionRequired
        case .notRunning: .notRunning
        case .alreadyRunning: .alreadyRunning
        case .noSource: .noSource
        case .routeChangeFailed: .routeChangeFailed
        case .audioServerUnavailable: .audioServerUnavailable
        case .engineUnavailable: .engineUnavailable
        case .engineFailed: .engineFailed
        case .unsupportedFormat: .unsupportedFormat
        case .unsupportedLanguage: .unsupportedLanguage
        case .limitExceeded: .limitExceeded
        case .fileWrite: .fileWrite
        case .timeout: .timeout
        case .cancelled: .cancelled
        }
    }

    private static func code(ofStandard name: String) -> Code {
        switch name.split(separator: ".").last {
        case "InvalidArgs": .invalidArguments
        case "AccessDenied": .accessDenied
        case "NoReply", "Timeout", "TimedOut": .timeout
        case "LimitsExceeded": .limitExceeded
        case "Disconnected", "NoServer": .disconnected
        case "ServiceUnknown", "NameHasNoOwner": .serviceUnavailable
        default: name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") ? .serviceUnavailable : .other
        }
    }
}
