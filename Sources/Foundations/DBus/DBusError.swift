/// An error of D-Bus: a name for programs and a message for people.
///
/// Local failures, such as an invalid value or a lost bus, have the standard names for them.
public struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
    public let name: ErrorName
    public let message: String

    public init(_ name: ErrorName, _ message: String) {
        self.name = name
        self.message = message
    }

    public var description: String { "\(name): \(message)" }
}

extension ErrorName {
    public static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
    public static let badAddress: ErrorName = "org.freedesktop.DBus.Error.BadAddress"
    public static let disconnected: ErrorName = "org.freedesktop.DBus.Error.Disconnected"
    public static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
    public static let invalidArgs: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
    public static let invalidSignature: ErrorName = "org.freedesktop.DBus.Error.InvalidSignature"
    public static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
    public static let nameHasNoOwner: ErrorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
    public static let noMemory: ErrorName = "org.freedesktop.DBus.Error.NoMemory"
    public static let noReply: ErrorName = "org.freedesktop.DBus.Error.NoReply"
    public static let noServer: ErrorName = "org.freedesktop.DBus.Error.NoServer"
    public static let notSupported: ErrorName = "org.freedesktop.DBus.Error.NotSupported"
    public static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
    public static let serviceUnknown: ErrorName = "org.freedesktop.DBus.Error.ServiceUnknown"
    public static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
    public static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
    public static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
    public static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
}

extension DBusError {
    public static func accessDenied(_ message: String) -> DBusError { DBusError(.accessDenied, message) }
    public static func disconnected(_ message: String) -> DBusError { DBusError(.disconnected, message) }
    public static func failed(_ message: String) -> DBusError { DBusError(.failed, message) }
    public static func invalidArgs(_ message: String) -> DBusError { DBusError(.invalidArgs, message) }
    public static func invalidSignature(_ message: String) -> DBusError {
        DBusError(.invalidSignature, message)
    }
    public static func limitsExceeded(_ message: String) -> DBusError { DBusError(.limitsExceeded, message) }
    public static func noMemory(_ message: String) -> DBusError { DBusError(.noMemory, message) }
    public static func noReply(_ message: String) -> DBusError { DBusError(.noReply, message) }
    public static func notSupported(_ message: String) -> DBusError { DBusError(.notSupported, message) }
}
