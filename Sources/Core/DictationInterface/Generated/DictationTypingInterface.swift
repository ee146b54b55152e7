// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.Typing.
public enum DictationTypingInterface {
    public static let name: InterfaceName = "org.example.Dictation.Typing"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init("BeginField", in: ["options": "a{sv}"], out: ["field": "t", "details": "a{sv}"]),
            .init("Show", in: ["field": "t", "text": "s"], out: ["shown": "b"]),
            .init("Insert", in: ["field": "t", "text": "s"], out: ["outcome": "s", "details": "a{sv}"]),
            .init(
                "ReplaceLast", in: ["field": "t", "text": "s"], out: ["outcome": "s", "details": "a{sv}"]),
            .init("Release", in: ["field": "t"]),
            .init("Toggle", in: ["options": "a{sv}"], out: ["began": "b"]),
            .init("Finish"),
            .init("Pause"),
            .init("Resume"),
            .init("Commit"),
            .init("Undo"),
        ],
        signals: [
            .init("Began", ["session": "t", "route": "s", "details": "a{sv}"]),
            .init("Typed", ["session": "t", "block": "t", "outcome": "s", "text": "s", "details": "a{sv}"]),
            .init("Failed", ["session": "t", "message": "s", "details": "a{sv}"]),
            .init("Ended", ["session": "t", "details": "a{sv}"]),
            .init("Released", ["field": "t", "reason": "s", "details": "a{sv}"]),
        ],
        properties: [])
}

/// The methods of org.example.Dictation.Typing by name.
public enum DictationTypingMethod: String, CaseIterable, Sendable {
    case beginField = "BeginField"
    case show = "Show"
    case insert = "Insert"
    case replaceLast = "ReplaceLast"
    case release = "Release"
    case toggle = "Toggle"
    case finish = "Finish"
    case pause = "Pause"
    case resume = "Resume"
    case commit = "Commit"
    case undo = "Undo"
}
