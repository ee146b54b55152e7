// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// A signal of org.example.Dictation.History.
public enum DictationHistorySignal: Hashable, Sendable {
    /// Texts were added, erased or changed. Sent to connections that asked List for it.
    case changed

    /// Nil if `message` is not a signal of this interface, or has other arguments.
    public init?(_ message: Message) {
        guard message.kind == .signal, message.interface == DictationHistoryInterface.name,
            let member = message.member, let signal = try? Self(member, message.body)
        else { return nil }
        self = signal
    }

    public init(_ member: MemberName, _ body: [Value]) throws(DBusError) {
        switch member.rawValue {
        case "Changed":
            self = .changed
        default: throw DBusError(.notSupported, "There is no signal \(member).")
        }
    }

    public var member: MemberName {
        switch self {
        case .changed: "Changed"
        }
    }

    /// The arguments, encoded.
    public var body: [Value] {
        switch self {
        case .changed: []
        }
    }
}
