// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// A signal of org.example.Dictation.Permissions.
public enum DictationPermissionsSignal: Hashable, Sendable {
    /// A decision has changed. Sent to connections that called List.
    /// `client`: kind and id.
    case changed(client: [BusText: Value], resource: String, status: String)

    /// Nil if `message` is not a signal of this interface, or has other arguments.
    public init?(_ message: Message) {
        guard message.kind == .signal, message.interface == DictationPermissionsInterface.name,
            let member = message.member, let signal = try? Self(member, message.body)
        else { return nil }
        self = signal
    }

    public init(_ member: MemberName, _ body: [Value]) throws(DBusError) {
        switch member.rawValue {
        case "Changed":
            let (client, resource, status) = try body.decoded(
                as: [BusText: Value].self, String.self, String.self)
            self = .changed(client: client, resource: resource, status: status)
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
        case .changed(let client, let resource, let status): [Value(client), Value(resource), Value(status)]
        }
    }
}
