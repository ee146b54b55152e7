// Written by packaging/generate from dbus/org.example.Dictation.Fields.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.Fields.
public enum DictationFieldsInterface {
    public static let name: InterfaceName = "org.example.Dictation.Fields"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation/Fields"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init("Open", out: ["field": "a{sv}"]),
            .init("Edit", in: ["visit": "t", "edits": "as", "texts": "as", "numbers": "at"]),
            .init("Close"),
        ],
        signals: [
            .init("FieldChanged", ["field": "a{sv}"]),
            .init("Committed", ["token": "t", "arrival": "s"]),
            .init("Closed", [:]),
        ],
        properties: [])
}

/// The methods of org.example.Dictation.Fields by name.
public enum DictationFieldsMethod: String, CaseIterable, Sendable {
    case open = "Open"
    case edit = "Edit"
    case close = "Close"
}
