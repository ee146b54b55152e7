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
            .init("SetScreenSavers", in: ["path": "o", "active": "a{sb}"]),
            .init("SetEngines", in: ["path": "o", "preference": "as", "engines": "a{sa{sv}}"]),
            .init(
                "SetWords", in: ["path": "o", "words": "as", "sounds": "as"],
                limits: .init(bytes: 131072, values: 4096),
                annotations: [
                    "org.example.Dictation.Limit.Bytes": "131072",
                    "org.example.Dictation.Limit.Values": "4096",
                ]),
            .init(
                "SetSettings", in: ["path": "o", "settings": "a{sv}"],
                limits: .init(bytes: 262144, values: 8192),
                annotations: [
                    "org.example.Dictation.Limit.Bytes": "262144",
                    "org.example.Dictation.Limit.Values": "8192",
                ]),
        ],
        signals: [],
        properties: [])
}

/// The methods of org.example.Dictation.AgentManager by name.
public enum DictationAgentManagerMethod: String, CaseIterable, Sendable {
    case register = "Register"
    case unregister = "Unregister"
    case setScreenSavers = "SetScreenSavers"
    case setEngines = "SetEngines"
    case setWords = "SetWords"
    case setSettings = "SetSettings"
}
