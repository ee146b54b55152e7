// Written by packaging/generate from dbus/org.example.Dictation.TypingControl.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.TypingControl.
public enum DictationTypingControlInterface {
    public static let name: InterfaceName = "org.example.Dictation.TypingControl"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation/Typing"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init("Finish"),
            .init("Pause"),
            .init("Resume"),
            .init("Commit"),
            .init("Undo"),
        ],
        signals: [],
        properties: [])
}

/// The methods of org.example.Dictation.TypingControl by name.
public enum DictationTypingControlMethod: String, CaseIterable, Sendable {
    case finish = "Finish"
    case pause = "Pause"
    case resume = "Resume"
    case commit = "Commit"
    case undo = "Undo"
}
