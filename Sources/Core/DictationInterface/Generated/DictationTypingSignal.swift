// Written by packaging/generate from dbus/org.example.Dictation.Typing.xml; change that instead.

public import DBus

/// A signal of org.example.Dictation.Typing.
public enum DictationTypingSignal: Hashable, Sendable {
    /// The caller no longer has the field, for another reason than its own call. Sent to that program only.
    /// `reason`: why.
    ///   "idle"               it did not call for 60 s
    ///   "replaced"           another program began with another field
    ///   "user-dictates"      the user dictates into windows with this service's own program
    ///   "permission-lost"    the user or the administrator no longer allows it
    ///   "route-lost"         the connection to the desktop was lost
    ///   "shutdown"           the typing service ends
    case released(field: UInt64, reason: String, details: [BusText: Value])

    /// Nil if `message` is not a signal of this interface, or has other arguments.
    public init?(_ message: Message) {
        guard message.kind == .signal, message.interface == DictationTypingInterface.name,
            let member = message.member, let signal = try? Self(member, message.body)
        else { return nil }
        self = signal
    }

    public init(_ member: MemberName, _ body: [Value]) throws(DBusError) {
        switch member.rawValue {
        case "Released":
            let (field, reason, details) = try body.decoded(
                as: UInt64.self, String.self, [BusText: Value].self)
            self = .released(field: field, reason: reason, details: details)
        default: throw DBusError(.notSupported, "There is no signal \(member).")
        }
    }

    public var member: MemberName {
        switch self {
        case .released: "Released"
        }
    }

    /// The arguments, encoded.
    public var body: [Value] {
        switch self {
        case .released(let field, let reason, let details): [Value(field), Value(reason), Value(details)]
        }
    }
}
