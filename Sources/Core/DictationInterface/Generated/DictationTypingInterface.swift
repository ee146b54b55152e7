// Written by packaging/generate from dbus/org.example.Dictation.Typing.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.Typing.
public enum DictationTypingInterface {
    public static let name: InterfaceName = "org.example.Dictation.Typing"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation/Typing"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init("RequestPermission", out: ["status": "s"]),
            .init("BeginField", in: ["options": "a{sv}"], out: ["field": "t", "details": "a{sv}"]),
            .init("Show", in: ["field": "t", "text": "s"], out: ["shown": "b"]),
            .init("Insert", in: ["field": "t", "text": "s"], out: ["outcome": "s", "details": "a{sv}"]),
            .init(
                "ReplaceLast", in: ["field": "t", "text": "s"], out: ["outcome": "s", "details": "a{sv}"]),
            .init("Release", in: ["field": "t"]),
        ],
        signals: [
            .init("Released", ["field": "t", "reason": "s", "details": "a{sv}"])
        ],
        properties: [])
}

/// The methods of org.example.Dictation.Typing by name.
public enum DictationTypingMethod: String, CaseIterable, Sendable {
    case requestPermission = "RequestPermission"
    case beginField = "BeginField"
    case show = "Show"
    case insert = "Insert"
    case replaceLast = "ReplaceLast"
    case release = "Release"
}
