// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.
public enum DictationInterface {
    public static let name: InterfaceName = "org.example.Dictation"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name: name,
        methods: [
            .init(name: "Start", inputs: [.init("options", "a{sv}")], outputs: [.init("session", "t")]),
            .init(name: "Pause"),
            .init(name: "Resume"),
            .init(
                name: "Commit",
                outputs: [.init("block", "t"), .init("text", "s"), .init("details", "a{sv}")]),
            .init(name: "Cancel", outputs: [.init("block", "t")]),
            .init(name: "Stop"),
            .init(name: "Subscribe", inputs: [.init("options", "a{sv}")]),
            .init(name: "GetSession", outputs: [.init("session", "a{sv}")]),
            .init(
                name: "RequestPermission",
                inputs: [.init("resources", "as"), .init("options", "a{sv}")],
                outputs: [.init("status", "a{ss}")]),
            .init(name: "CheckPermission", outputs: [.init("status", "a{ss}"), .init("ready", "b")]),
            .init(name: "ListRoutes", outputs: [.init("routes", "aa{sv}")]),
            .init(name: "SelectRoute", inputs: [.init("name", "s"), .init("options", "a{sv}")]),
        ],
        signals: [
            .init(
                name: "Partial",
                arguments: [
                    .init("session", "t"),
                    .init("block", "t"),
                    .init("offset", "t"),
                    .init("stable", "s"),
                    .init("volatile", "s"),
                    .init("details", "a{sv}"),
                ]),
            .init(
                name: "Final",
                arguments: [
                    .init("session", "t"), .init("block", "t"), .init("text", "s"), .init("details", "a{sv}"),
                ]),
            .init(
                name: "Interrupted",
                arguments: [.init("session", "t"), .init("reason", "s"), .init("details", "a{sv}")]),
            .init(
                name: "Resumed",
                arguments: [.init("session", "t"), .init("reason", "s"), .init("details", "a{sv}")]),
            .init(
                name: "RouteChanged",
                arguments: [
                    .init("session", "t"),
                    .init("reason", "s"),
                    .init("previous", "a{sv}"),
                    .init("current", "a{sv}"),
                    .init("details", "a{sv}"),
                ]),
            .init(
                name: "StateChanged",
                arguments: [
                    .init("session", "t"),
                    .init("state", "s"),
                    .init("reason", "s"),
                    .init("details", "a{sv}"),
                ]),
            .init(
                name: "Stopped",
                arguments: [.init("session", "t"), .init("reason", "s"), .init("details", "a{sv}")]),
            .init(
                name: "Error",
                arguments: [
                    .init("session", "t"),
                    .init("name", "s"),
                    .init("message", "s"),
                    .init("details", "a{sv}"),
                ]),
            .init(
                name: "Level",
                arguments: [
                    .init("session", "t"),
                    .init("rms_dbfs", "d"),
                    .init("peak_dbfs", "d"),
                    .init("details", "a{sv}"),
                ]),
            .init(
                name: "PermissionChanged",
                arguments: [.init("resource", "s"), .init("status", "s"), .init("details", "a{sv}")]),
        ],
        properties: [
            .init(name: "Version", type: "u", access: .read, emitsChanged: .const),
            .init(name: "Engines", type: "a(sa{sv})", access: .read, emitsChanged: .const),
            .init(name: "Languages", type: "as", access: .read, emitsChanged: .const),
            .init(name: "State", type: "s", access: .read, emitsChanged: .yes),
            .init(name: "InUse", type: "b", access: .read, emitsChanged: .yes),
            .init(name: "Route", type: "a{sv}", access: .read, emitsChanged: .yes),
        ])
}

/// The methods of org.example.Dictation by name.
public enum DictationMethod: String, CaseIterable, Sendable {
    case start = "Start"
    case pause = "Pause"
    case resume = "Resume"
    case commit = "Commit"
    case cancel = "Cancel"
    case stop = "Stop"
    case subscribe = "Subscribe"
    case getSession = "GetSession"
    case requestPermission = "RequestPermission"
    case checkPermission = "CheckPermission"
    case listRoutes = "ListRoutes"
    case selectRoute = "SelectRoute"
}

/// The properties of org.example.Dictation by name.
public enum DictationProperty: String, CaseIterable, Sendable {
    /// Of this interface; grows by one when members are added.
    case version = "Version"

    /// Name and details of each: languages as, available b, and message s where it is not.
    case engines = "Engines"

    /// Those that some engine knows, as BCP 47 tags.
    case languages = "Languages"

    /// Of the session of the caller's user that wants the microphone most, "idle" where there is none.
    /// Changes go to every client on a bus that belongs to one user, else to that user's subscribers.
    case state = "State"

    /// Whether a capture stream of the caller's user exists.
    case inUse = "InUse"

    /// The microphone in use for the caller's user, as in ListRoutes; empty where none is.
    case route = "Route"
}
