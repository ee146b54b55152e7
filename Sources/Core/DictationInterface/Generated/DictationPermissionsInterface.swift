// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.Permissions.
public enum DictationPermissionsInterface {
    public static let name: InterfaceName = "org.example.Dictation.Permissions"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init("List", out: ["clients": "aa{sv}"]),
            .init("Set", in: ["client": "a{sv}", "resource": "s", "status": "s"]),
            .init("Forget", in: ["client": "a{sv}"]),
            .init("Check", in: ["client": "a{sv}"], out: ["status": "a{ss}"]),
            .init("Log", in: ["limit": "u"], out: ["decisions": "aa{sv}"]),
        ],
        signals: [
            .init("Changed", ["client": "a{sv}", "resource": "s", "status": "s"])
        ],
        properties: [])
}

/// The methods of org.example.Dictation.Permissions by name.
public enum DictationPermissionsMethod: String, CaseIterable, Sendable {
    case list = "List"
    case set = "Set"
    case forget = "Forget"
    case check = "Check"
    case log = "Log"
}
