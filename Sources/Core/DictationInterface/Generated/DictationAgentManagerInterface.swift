// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.AgentManager.
public enum DictationAgentManagerInterface {
    public static let name: InterfaceName = "org.example.Dictation.AgentManager"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init("Register", in: ["path": "o", "capabilities": "as", "options": "a{sv}"]),
            .init("Unregister", in: ["path": "o"]),
        ],
        signals: [],
        properties: [])
}

/// The methods of org.example.Dictation.AgentManager by name.
public enum DictationAgentManagerMethod: String, CaseIterable, Sendable {
    case register = "Register"
    case unregister = "Unregister"
}
