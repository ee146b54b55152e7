import CDBus

/// Types of D-Bus, concatenated: `a{sv}`, `ts`.
public struct Signature: ValidatedString {
    public let rawValue: String

    public init?(_ string: String) {
        guard isValid(string, by: dbus_signature_validate) else { return nil }
        rawValue = string
    }

    /// For signatures that were concatenated. A message's signature is validated as a whole.
    init(unchecked string: String) {
        rawValue = string
    }

    /// The concatenation.
    init(_ parts: some Sequence<Signature>) {
        rawValue = parts.map(\.rawValue).joined()
    }

    /// Whether this is one complete type.
    public var isSingle: Bool { isValid(rawValue, by: dbus_signature_validate_single) }

    /// Whether this is a basic type, which can be the key of a dictionary.
    var isBasic: Bool {
        rawValue.utf8.count == 1 && rawValue.utf8.first.map { dbus_type_is_basic(Int32($0)) != 0 } ?? false
    }

    static func array(of element: Signature) -> Signature {
        Signature(unchecked: "a" + element.rawValue)
    }

    static func dictionary(_ key: Signature, _ value: Signature) -> Signature {
        Signature(unchecked: "a{\(key.rawValue)\(value.rawValue)}")
    }
}
