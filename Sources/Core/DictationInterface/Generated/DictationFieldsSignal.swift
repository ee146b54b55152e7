// Written by packaging/generate from dbus/org.example.Dictation.Fields.xml; change that instead.

public import DBus

/// A signal of org.example.Dictation.Fields.
public enum DictationFieldsSignal: Hashable, Sendable {
    /// The whole field with the focus, after every change of it. Sent to the caller of Open only.
    /// `field`: empty if no field has the focus.
    ///   id s            names the field, as far as the shell can: equal for the same field
    ///   visit t         changes when a field gets the focus, is clicked, or is reset
    ///   purpose s       "text", "password", "pin", "terminal"
    ///   sensitive b     the application marks the text as hidden or private
    ///   text s          the text around the cursor; absent if the application does not report it, or the field is private
    ///   cursor u        the position of the cursor in it, in Unicode characters
    ///   selecting b     text is selected
    ///   x i             the position of the cursor in its window; absent if unknown
    ///   y i             likewise
    ///   live b          the field shows live text, and text in it can be deleted
    ///   reports b       Committed follows each commit
    ///   limit u         the maximum length of a commit in bytes of UTF-8
    ///   application s   the desktop id of the application whose window it is in; absent if unknown
    case fieldChanged(field: [BusText: Value])

    /// The result of a commit in a field with "reports", or of one that was refused. Sent to the caller of Open
    /// only.
    /// `token`: its number.
    /// `arrival`: what became of it.
    ///   "arrived"     it was seen in the field
    ///   "unknown"     it was typed; whether it arrived is unknown
    ///   "refused"     it was not typed
    case committed(token: UInt64, arrival: String)

    /// Another program has called Open. Sent to the caller of Open before it.
    case closed

    /// Nil if `message` is not a signal of this interface, or has other arguments.
    public init?(_ message: Message) {
        guard message.kind == .signal, message.interface == DictationFieldsInterface.name,
            let member = message.member, let signal = try? Self(member, message.body)
        else { return nil }
        self = signal
    }

    public init(_ member: MemberName, _ body: [Value]) throws(DBusError) {
        switch member.rawValue {
        case "FieldChanged":
            let field = try body.decoded(as: [BusText: Value].self)
            self = .fieldChanged(field: field)
        case "Committed":
            let (token, arrival) = try body.decoded(as: UInt64.self, String.self)
            self = .committed(token: token, arrival: arrival)
        case "Closed":
            self = .closed
        default: throw DBusError(.notSupported, "There is no signal \(member).")
        }
    }

    public var member: MemberName {
        switch self {
        case .fieldChanged: "FieldChanged"
        case .committed: "Committed"
        case .closed: "Closed"
        }
    }

    /// The arguments, encoded.
    public var body: [Value] {
        switch self {
        case .fieldChanged(let field): [Value(field)]
        case .committed(let token, let arrival): [Value(token), Value(arrival)]
        case .closed: []
        }
    }
}
