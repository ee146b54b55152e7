// Written by packaging/generate from dbus/org.example.Dictation.Agent.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.Agent.
public enum DictationAgentInterface {
    public static let name: InterfaceName = "org.example.Dictation.Agent"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init(
                "RequestPermission",
                in: ["cookie": "t", "client": "a{sv}", "resources": "as", "details": "a{sv}"],
                out: ["decision": "s"]),
            .init("Cancel", in: ["cookie": "t"]),
            .init("Release"),
        ],
        signals: [],
        properties: [])
}

/// The methods of org.example.Dictation.Agent by name.
public enum DictationAgentMethod: String, CaseIterable, Sendable {
    case requestPermission = "RequestPermission"
    case cancel = "Cancel"
    case release = "Release"
}
