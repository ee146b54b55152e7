// Written by packaging/generate from dbus/*.xml; change those instead.

public import DBus

/// `details` of `Interrupted`, and `details` of `Resumed`, and `details` of `StateChanged`. Nil is absent, or of a type that is not known.
public struct StateDetails: Hashable, Sendable {
    /// all that hold
    public var reasons: [String]?
    /// its seconds
    public var duration: Double?
    /// what was rebuilt: any of "audio-server" (the connection to it), "capture" (the stream) and
    /// "recogniser"
    public var rebuilt: [String]?
    /// frames (at 16 kHz) lost since it began
    public var dropouts: UInt64?
    /// commits in progress
    public var pending: UInt32?

    public init() {}

    public init(_ entries: [BusText: Value]) {
        reasons = entries["reasons"].flatMap { [String]($0) }
        duration = entries["duration"].flatMap { Double($0) }
        rebuilt = entries["rebuilt"].flatMap { [String]($0) }
        dropouts = entries["dropouts"].flatMap { UInt64($0) }
        pending = entries["pending"].flatMap { UInt32($0) }
    }

    public var entries: [BusText: Value] {
        var entries: [BusText: Value] = [:]
        entries["reasons"] = reasons?.value
        entries["duration"] = duration?.value
        entries["rebuilt"] = rebuilt?.value
        entries["dropouts"] = dropouts?.value
        entries["pending"] = pending?.value
        return entries
    }
}
