// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Names and types of org.example.Dictation.
public enum DictationInterface {
    public static let name: InterfaceName = "org.example.Dictation"
    /// Of the object that has this interface.
    public static let path: ObjectPath = "/org/example/Dictation"

    /// For dispatch, checks of types and `Introspect`.
    public static let description = InterfaceDescription(
        name,
        methods: [
            .init(
                "Start", in: ["options": "a{sv}"], out: ["session": "t"],
                limits: .init(bytes: 524288, values: 8192, descriptors: 4),
                annotations: [
                    "org.example.Dictation.Limit.Bytes": "524288",
                    "org.example.Dictation.Limit.Values": "8192",
                    "org.example.Dictation.Limit.Descriptors": "4",
                ]),
            .init("Pause"),
            .init("Resume"),
            .init("Commit", out: ["block": "t", "text": "s", "details": "a{sv}"]),
            .init("Cancel", out: ["block": "t"]),
            .init("Stop"),
            .init("StopAll", in: ["options": "a{sv}"], out: ["count": "u"]),
            .init("Subscribe", in: ["options": "a{sv}"]),
            .init("GetSession", out: ["session": "a{sv}"]),
            .init(
                "RequestPermission", in: ["resources": "as", "options": "a{sv}"], out: ["status": "a{ss}"]),
            .init("CheckPermission", out: ["status": "a{ss}", "ready": "b"]),
            .init("ListRoutes", out: ["routes": "aa{sv}"]),
            .init("SelectRoute", in: ["name": "s", "options": "a{sv}"]),
        ],
        signals: [
            .init(
                "Partial",
                [
                    "session": "t", "block": "t", "offset": "t", "stable": "s", "volatile": "s",
                    "details": "a{sv}",
                ]),
            .init(
                "Retracted",
                ["session": "t", "block": "t", "offset": "t", "scalars": "t", "details": "a{sv}"]),
            .init("Command", ["session": "t", "phrase": "s", "details": "a{sv}"]),
            .init("Final", ["session": "t", "block": "t", "text": "s", "details": "a{sv}"]),
            .init("Interrupted", ["session": "t", "reason": "s", "details": "a{sv}"]),
            .init("Resumed", ["session": "t", "reason": "s", "details": "a{sv}"]),
            .init(
                "RouteChanged",
                ["session": "t", "reason": "s", "previous": "a{sv}", "current": "a{sv}", "details": "a{sv}"]),
            .init("ProblemsChanged", ["session": "t", "problems": "as", "details": "a{sv}"]),
            .init("StateChanged", ["session": "t", "state": "s", "reason": "s", "details": "a{sv}"]),
            .init("Stopped", ["session": "t", "reason": "s", "details": "a{sv}"]),
            .init("Error", ["session": "t", "name": "s", "message": "s", "details": "a{sv}"]),
            .init(
                "SegmentRecorded",
                ["session": "t", "name": "s", "start": "d", "duration": "d", "details": "a{sv}"]),
            .init("Level", ["session": "t", "rms_dbfs": "d", "peak_dbfs": "d", "details": "a{sv}"]),
            .init("PermissionChanged", ["resource": "s", "status": "s", "details": "a{sv}"]),
        ],
        properties: [
            .init("Version", "u", .read, change: .const),
            .init("Engines", "a(sa{sv})", .read, change: .value),
            .init("Languages", "as", .read, change: .value),
            .init("State", "s", .read, change: .value),
            .init("InUse", "b", .read, change: .value),
            .init("Route", "a{sv}", .read, change: .value),
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
    case stopAll = "StopAll"
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

    /// Name and details of each that the caller can use. Changes are sent as those of State are.
    ///   languages as   as BCP 47 tags
    ///   available b
    ///   message s      why it is not available, and what to do
    ///   local b        false if audio is sent to another machine
    ///   program s      its program, if it is not the service itself
    ///   live b         whether it gives text during speech; if not, another engine does
    ///   answer d       seconds of its last answer, if it is another process
    ///   preferred b    true for the engine of sessions whose Start names none. While it is not available, another engine
    ///                  of the list gives the text
    case engines = "Engines"

    /// The languages of all engines of the caller, as BCP 47 tags. Changes are sent as those of State are.
    case languages = "Languages"

    /// The state of the session of the caller's user that asked for the microphone last; "idle" without a session.
    /// Changes go to every client on a bus that belongs to one user, else to that user's subscribers.
    case state = "State"

    /// Whether a capture stream of the caller's user exists.
    case inUse = "InUse"

    /// The microphone in use for the caller's user, as in ListRoutes; empty if there is none.
    case route = "Route"
}
