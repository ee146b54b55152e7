// Written by packaging/generate from dbus/private/org.example.Dictation.Peer.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.Broker.
public enum DictationBrokerInterface {
    public static let name: InterfaceName = "org.example.Dictation.Broker"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation/Peer"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init("Hello", in: ["worker": "a{sv}"], out: ["broker": "a{sv}"]),
            .init("Needed", in: ["needed": "b"]),
            .init("Sessions", in: ["numbers": "at", "owners": "as"]),
            .init("Ping", in: ["client": "s"], out: ["answered": "b"]),
            .init("Bye"),
        ],
        signals: [],
        properties: [])
}

/// The methods of org.example.Dictation.Broker by name.
public enum DictationBrokerMethod: String, CaseIterable, Sendable {
    case hello = "Hello"
    case needed = "Needed"
    case sessions = "Sessions"
    case ping = "Ping"
    case bye = "Bye"
}
