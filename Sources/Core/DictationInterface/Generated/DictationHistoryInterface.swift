// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.History.
public enum DictationHistoryInterface {
    public static let name: InterfaceName = "org.example.Dictation.History"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init("List", in: ["options": "a{sv}"], out: ["entries": "aa{sv}", "lifetime": "u"]),
            .init("Get", in: ["id": "t"], out: ["entry": "a{sv}"]),
            .init("Forget", in: ["ids": "at"], out: ["count": "u"]),
            .init("Clear", out: ["count": "u"]),
            .init("Again", in: ["id": "t", "options": "a{sv}"], out: ["entry": "a{sv}"]),
            .init("Keep", in: ["kept": "b"]),
        ],
        signals: [
            .init("Changed", [:])
        ],
        properties: [])
}

/// The methods of org.example.Dictation.History by name.
public enum DictationHistoryMethod: String, CaseIterable, Sendable {
    case list = "List"
    case get = "Get"
    case forget = "Forget"
    case clear = "Clear"
    case again = "Again"
    case keep = "Keep"
}
