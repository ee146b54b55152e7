import CDBus
import Glibc

/// A string of a grammar that the D-Bus specification lays down. There are no others: libdbus ends
/// the process when it is given a malformed one.
///
/// A literal that is malformed is a programmer's error and stops the program.
public protocol ValidatedString: Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    var rawValue: String { get }
    /// None if the string is malformed.
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

/// Whether the string can be a C string and `validator` accepts it.
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

/// The name of a connection: the one the bus gave it (`:1.42`) or one it asked for (`org.example.Editor`).
public struct BusName: ValidatedString {
    public let rawValue: String

    public init?(_ string: String) {
        guard isValid(string, by: dbus_validate_bus_name) else { return nil }
        rawValue = string
    }

    /// Whether the bus gave it, and gives it to nobody else as long as the bus lives.
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

    /// For what libdbus has validated.
    init(unchecked string: String) {
        rawValue = string
    }

    public static let root: ObjectPath = "/"
    public static let bus: ObjectPath = "/org/freedesktop/DBus"

    /// The path relative to `ancestor`, without a leading slash; none unless it lies below it.
    func relative(to ancestor: ObjectPath) -> Substring? {
        let prefix = ancestor == .root ? "/" : ancestor.rawValue + "/"
        guard rawValue.hasPrefix(prefix), rawValue != prefix else { return nil }
        return rawValue.dropFirst(prefix.count)
    }
}
