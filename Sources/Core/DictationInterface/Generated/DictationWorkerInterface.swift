// Written by packaging/generate from dbus/private/org.example.Dictation.Peer.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.Worker.
public enum DictationWorkerInterface {
    public static let name: InterfaceName = "org.example.Dictation.Worker"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation/Peer"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init("Client", in: ["client": "a{sv}", "status": "a{ss}"]),
            .init("Permission", in: ["client": "a{sv}", "status": "a{ss}"]),
            .init("Identify", in: ["pid": "u"], out: ["client": "a{sv}"]),
            .init("AllowedOnce", in: ["resources": "as"]),
            .init("Vanished"),
            .init("Restore", in: ["numbers": "at", "owners": "as"]),
            .init("Ask", in: ["cookie": "t", "client": "a{sv}", "resources": "as"], out: ["decision": "s"]),
            .init("CancelQuestion", in: ["cookie": "t"]),
            .init("End"),
        ],
        signals: [],
        properties: [])
}

/// The methods of org.example.Dictation.Worker by name.
public enum DictationWorkerMethod: String, CaseIterable, Sendable {
    case client = "Client"
    case permission = "Permission"
    case identify = "Identify"
    case allowedOnce = "AllowedOnce"
    case vanished = "Vanished"
    case restore = "Restore"
    case ask = "Ask"
    case cancelQuestion = "CancelQuestion"
    case end = "End"
}
