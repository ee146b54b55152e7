// Written by packaging/generate from dbus/private/org.example.Dictation.Shortcuts.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.Shortcuts.
public enum DictationShortcutsInterface {
    public static let name: InterfaceName = "org.example.Dictation.Shortcuts"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation/Shortcuts"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init("Get", out: ["bound": "a{ss}", "failure": "s"])
        ],
        signals: [],
        properties: [])
}

/// The methods of org.example.Dictation.Shortcuts by name.
public enum DictationShortcutsMethod: String, CaseIterable, Sendable {
    case get = "Get"
}
