// Written by packaging/generate from dbus/*.xml; change those instead.

public import DBus

/// `entries` of `List`. Nil is absent, or of a type that is not known.
public struct HistoryDetails: Hashable, Sendable {
    /// its number: later texts have higher ones, and no number is used again
    public var id: UInt64?
    /// when it was final, in seconds since 1970
    public var time: Int64?
    /// of the application that dictated it: as in org.example.Dictation.Permissions, or "unknown"
    public var kind: String?
    /// its id
    public var client: String?
    /// as in Start; absent if it had none
    public var application: String?
    /// as a BCP 47 tag
    public var language: String?
    /// the engine that gave it
    public var engine: String?
    /// at most the first 500 characters: Get has all
    public var text: String?
    /// there are more; absent if not
    public var long: Bool?
    /// only of Get: the first text, if it was recognised again since
    public var original: String?
    /// the path of a WAV file with its sound, readable by the user only; absent if none is kept
    public var sound: String?
    /// of the sound, in seconds; absent if none is kept
    public var duration: Double?

    public init() {}

    public init(_ entries: [BusText: Value]) {
        id = entries["id"].flatMap { UInt64($0) }
        time = entries["time"].flatMap { Int64($0) }
        kind = entries["kind"].flatMap { String($0) }
        client = entries["client"].flatMap { String($0) }
        application = entries["application"].flatMap { String($0) }
        language = entries["language"].flatMap { String($0) }
        engine = entries["engine"].flatMap { String($0) }
        text = entries["text"].flatMap { String($0) }
        long = entries["long"].flatMap { Bool($0) }
        original = entries["original"].flatMap { String($0) }
        sound = entries["sound"].flatMap { String($0) }
        duration = entries["duration"].flatMap { Double($0) }
    }

    public var entries: [BusText: Value] {
        var entries: [BusText: Value] = [:]
        entries["id"] = id?.value
        entries["time"] = time?.value
        entries["kind"] = kind?.value
        entries["client"] = client?.value
        entries["application"] = application?.value
        entries["language"] = language?.value
        entries["engine"] = engine?.value
        entries["text"] = text?.value
        entries["long"] = long?.value
        entries["original"] = original?.value
        entries["sound"] = sound?.value
        entries["duration"] = duration?.value
        return entries
    }
}
