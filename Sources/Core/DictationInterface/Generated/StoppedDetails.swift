// Written by packaging/generate from dbus/*.xml; change those instead.

public import DBus

/// `details` of `Stopped`. Nil is absent, or of a type that is not known.
public struct StoppedDetails: Hashable, Sendable {
    /// seconds that the recording has; absent if Start asked for none. The last SegmentRecorded comes
    /// before Stopped, unless the session ended with its connection
    public var recorded: Double?

    public init() {}

    public init(_ entries: [BusText: Value]) {
        recorded = entries["recorded"].flatMap { Double($0) }
    }

    public var entries: [BusText: Value] {
        var entries: [BusText: Value] = [:]
        entries["recorded"] = recorded?.value
        return entries
    }
}
