// Written by packaging/generate from dbus/*.xml; change those instead.

public import DBus

/// `details` of `Partial`. Nil is absent, or of a type that is not known.
public struct PartialDetails: Hashable, Sendable {
    /// Unicode scalars at the beginning of volatile that will hardly change: a program can show the rest
    /// in another way. Absent if 0
    public var settled: UInt32?
    /// the language that the engine heard last, as in Start, or as the engine names it; absent if it
    /// does not say
    public var language: String?

    public init() {}

    public init(_ entries: [BusText: Value]) {
        settled = entries["settled"].flatMap { UInt32($0) }
        language = entries["language"].flatMap { String($0) }
    }

    public var entries: [BusText: Value] {
        var entries: [BusText: Value] = [:]
        entries["settled"] = settled?.value
        entries["language"] = language?.value
        return entries
    }
}
