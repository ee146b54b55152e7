import CDBus
import Glibc

/// A string with a syntax of the D-Bus specification. The initialiser checks it, because libdbus ends the process if it
/// is given an invalid one.
///
/// An invalid literal is a programming error and stops the program.
public protocol ValidatedString: Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    var rawValue: String { get }
    /// Nil if the string is invalid.
    init?(_ string: String)
    init(stringLiteral: String)
}

extension ValidatedString {
    public init(stringLiteral string: String) {
        guard let name = Self(string) else {
            preconditionFailure("\"\(string)\" is not a valid \(Self.self)")
        }
        self = name
    }

    public init?(_ text: BusText) {
        self.init(text.string)
    }

    public var description: String { rawValue }

    public static func < (one: Self, other: Self) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// Whether the string has no NUL and `validator` accepts it.
func isValid(
    _ string: String,
    by validator: (UnsafePointer<CChar>?, UnsafeMutablePointer<CDBus.DBusError>?) -> dbus_bool_t
) -> Bool {
    !string.containsNUL && validator(string, nil) != 0
}

extension String {
    var containsNUL: Bool {
        var copy = self
        return copy.withUTF8 { bytes in
            bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
        }
    }
}

/// A connection's name: unique (`:1.42`) or well-known (`org.example.Editor`).
public struct BusName: ValidatedString {
    public let rawValue: String

    public init?(_ string: String) {
        guard isValid(string, by: dbus_validate_bus_name) else { return nil }
        rawValue = string
    }

    /// Whether it is a unique name, which the bus never reuses.
    public var isUnique: Bool { rawValue.utf8.first == UInt8(ascii: ":") }

    /// The bus itself.
    public static let bus: BusName = "org.freedesktop.DBus"
}

/// The name of an interface: `org.example.Editor`.
public struct InterfaceName: ValidatedString {
    public let rawValue: String

    public init?(_ string: String) {
        guard isValid(string, by: dbus_validate_interface) else { return nil }
        rawValue = string
    }

    public static let bus: InterfaceName = "org.freedesktop.DBus"
    public static let introspectable: InterfaceName = "org.freedesktop.DBus.Introspectable"
    public static let local: InterfaceName = "org.freedesktop.DBus.Local"
    public static let peer: InterfaceName = "org.freedesktop.DBus.Peer"
    public static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
}

/// The name of a method or a signal.
public struct MemberName: ValidatedString {
    public let rawValue: String

    public init?(_ string: String) {
        guard isValid(string, by: dbus_validate_member) else { return nil }
        rawValue = string
    }
}

/// The name of an error: `org.example.Editor.Error.ReadOnly`.
public struct ErrorName: ValidatedString {
    public let rawValue: String

    public init?(_ string: String) {
        guard isValid(string, by: dbus_validate_error_name) else { return nil }
        rawValue = string
    }
}

/// The path of an object within a connection: `/org/example/Editor`.
public struct ObjectPath: ValidatedString {
    public let rawValue: String

    public init?(_ string: String) {
        guard isValid(string, by: dbus_validate_path) else { return nil }
        rawValue = string
    }

    /// For names that libdbus has validated.
    init(unchecked string: String) {
        rawValue = string
    }

    public static let root: ObjectPath = "/"
    public static let bus: ObjectPath = "/org/freedesktop/DBus"

    /// The path relative to `ancestor`, without a leading slash; nil if it is not below it.
    func relative(to ancestor: ObjectPath) -> Substring? {
        let prefix = ancestor == .root ? "/" : ancestor.rawValue + "/"
        guard rawValue.hasPrefix(prefix), rawValue != prefix else { return nil }
        return rawValue.dropFirst(prefix.count)
    }
}
