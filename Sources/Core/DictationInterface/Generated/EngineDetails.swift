// Written by packaging/generate from dbus/*.xml; change those instead.

public import DBus

/// the property `Engines`. Nil is absent, or of a type that is not known.
public struct EngineDetails: Hashable, Sendable {
    /// as BCP 47 tags
    public var languages: [String]?
    public var available: Bool?
    /// why it is not available, and what to do
    public var message: String?
    /// false if audio is sent to another machine
    public var local: Bool?
    /// its program, if it is not the service itself
    public var program: String?
    /// whether it gives text during speech; if not, another engine does
    public var live: Bool?
    /// seconds of its last answer, if it is another process
    public var answer: Double?
    /// true for the engine of sessions whose Start names none. While it is not available, another engine
    /// of the list gives the text
    public var preferred: Bool?

    public init() {}

    public init(_ entries: [BusText: Value]) {
        languages = entries["languages"].flatMap { [String]($0) }
        available = entries["available"].flatMap { Bool($0) }
        message = entries["message"].flatMap { String($0) }
        local = entries["local"].flatMap { Bool($0) }
        program = entries["program"].flatMap { String($0) }
        live = entries["live"].flatMap { Bool($0) }
        answer = entries["answer"].flatMap { Double($0) }
        preferred = entries["preferred"].flatMap { Bool($0) }
    }

    public var entries: [BusText: Value] {
        var entries: [BusText: Value] = [:]
        entries["languages"] = languages?.value
        entries["available"] = available?.value
        entries["message"] = message?.value
        entries["local"] = local?.value
        entries["program"] = program?.value
        entries["live"] = live?.value
        entries["answer"] = answer?.value
        entries["preferred"] = preferred?.value
        return entries
    }
}
