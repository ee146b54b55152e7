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
            .init("OpenPipeWireRemote", out: ["remote": "h"]),
            .init("Identify", in: ["pid": "u", "options": "a{sv}"], out: ["client": "a{sv}"]),
            .init("FollowDictation", in: ["activity": "a{sv}"]),
            .init("OpenEngine", in: ["name": "s"], out: ["connection": "h"]),
            .init(
                "CheckRecordingFolder", in: ["folder": "h"], limits: .init(descriptors: 1),
                annotations: ["org.example.Dictation.Limit.Descriptors": "1"]),
            .init(
                "OpenRecording", in: ["folder": "h", "prefix": "s", "number": "t"],
                out: ["name": "s", "file": "h"], limits: .init(descriptors: 1),
                annotations: ["org.example.Dictation.Limit.Descriptors": "1"]),
            .init(
                "RemoveRecording",
                in: ["folder": "h", "name": "s", "inode": "t", "size": "t", "modified": "x"],
                limits: .init(descriptors: 1), annotations: ["org.example.Dictation.Limit.Descriptors": "1"]),
            .init("Release"),
        ],
        signals: [],
        properties: [])
}

/// The methods of org.example.Dictation.Agent by name.
public enum DictationAgentMethod: String, CaseIterable, Sendable {
    case requestPermission = "RequestPermission"
    case cancel = "Cancel"
    case openPipeWireRemote = "OpenPipeWireRemote"
    case identify = "Identify"
    case followDictation = "FollowDictation"
    case openEngine = "OpenEngine"
    case checkRecordingFolder = "CheckRecordingFolder"
    case openRecording = "OpenRecording"
    case removeRecording = "RemoveRecording"
    case release = "Release"
}
