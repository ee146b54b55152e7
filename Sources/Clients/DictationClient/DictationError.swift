import DBus
import DictationInterface

/// Errors that are not the interface's own.
extension DictationErrorCode {
    public static let invalidArguments = Self(rawValue: "InvalidArguments")
    /// This user may not use the service.
    public static let accessDenied = Self(rawValue: "AccessDenied")
    /// There is no service, and the bus cannot start one.
    public static let serviceUnavailable = Self(rawValue: "ServiceUnavailable")
    /// The service's connection to the bus was lost, and the session with it.
    public static let serviceVanished = Self(rawValue: "ServiceVanished")
    /// The connection to the bus failed or was lost.
    public static let disconnected = Self(rawValue: "Disconnected")
    /// It cannot be done on this machine or desktop; the message says why.
    public static let notSupported = Self(rawValue: "NotSupported")
    /// Any other error of the bus or of a newer service.
    public static let other = Self(rawValue: "Other")
}

/// An error of a call or of the connection.
public struct DictationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Compared with ``DictationErrorCode``'s constants.
    public typealias Code = DictationErrorCode

    public var code: Code
    /// The name of the D-Bus error.
    public var name: String
    /// For people, in English; says what to do if something can be done.
    public var message: String

    public var description: String { message.isEmpty ? name : message }

    public init(_ code: Code, name: String = "", message: String) {
        self.code = code
        self.name = name
        self.message = message
    }

    /// An error from the bus.
    public init(name: String, message: String) {
        let kind = DictationInterface.errorKind(name).map { Code(rawValue: $0.rawValue) }
        self.init(kind ?? Self.code(ofStandard: name), name: name, message: message)
    }

    init(_ error: any Error) {
        switch error {
        case let error as DictationError: self = error
        case let error as DBusError: self.init(name: error.name.rawValue, message: error.message)
        case is CancellationError: self.init(.cancelled, message: "The task was cancelled.")
        default: self.init(.other, message: "\(error)")
        }
    }

    private static func code(ofStandard name: String) -> Code {
        switch name.split(separator: ".").last {
        case "InvalidArgs": .invalidArguments
        case "AccessDenied": .accessDenied
        case "NotSupported": .notSupported
        case "NoReply", "Timeout", "TimedOut": .timeout
        case "LimitsExceeded": .limitExceeded
        case "Disconnected", "NoServer": .disconnected
        case "ServiceUnknown", "NameHasNoOwner": .serviceUnavailable
        default: name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") ? .serviceUnavailable : .other
        }
    }
}
