// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// A signal of org.example.Dictation.Typing.
public enum DictationTypingSignal: Hashable, Sendable {
    /// The text of a session is typed from now on. Sent to its owner, as Typed, Failed and Ended are.
    /// `session`: number of the session.
    /// `route`: the way to type, for people, as in "by IBus".
    /// `details`:
    ///   field s       the field with the focus: "text", "secret" (nothing is typed there), or "none"
    ///   message s     what to do if it is not "text", for people, in English
    case began(session: UInt64, route: String, details: [BusText: Value])

    /// What became of a block's text. Sent again when it changes.
    /// `session`: number of the session.
    /// `block`: number of the block.
    /// `outcome`: as for Insert; "moved" is typed if its field gets the focus again while the session lasts.
    ///   "retracted"   the user took it back
    /// `text`: of the block; empty if a field for a password had the focus.
    /// `details`:
    ///   number t      names the text, among those of the session
    ///   seen b        with "typed": whether the field has reported the text. Some applications report none
    ///   message s     for people, in English, if it was not typed; contains no text of the user
    ///   why s         if it was not typed: "password" (`text` is empty, because it may be a password), "no-field", "left"
    ///                 (another field has the focus), "window" (it did not take it), "unfinished" (the dictation ended
    ///                 before), "restarted" (the service has failed since it began, and another window may have the focus)
    ///   last b        true if the text will not be typed any more, unless it was
    case typed(session: UInt64, block: UInt64, outcome: String, text: String, details: [BusText: Value])

    /// Something of typing failed that is no text's outcome: a text could not be taken back, or the connection to
    /// the desktop was lost. Then the session is finished.
    /// `session`: number of the session.
    /// `message`: for people, in English.
    /// `details`:
    ///   why s         "not-here": the text is not before the cursor any more, or cannot be deleted; "unseen": the field does
    ///                 not show whether it was deleted; "route-lost"
    case failed(session: UInt64, message: String, details: [BusText: Value])

    /// No text of the session is typed any more, and the user has the own input method. After Stopped.
    /// `session`: number of the session.
    case ended(session: UInt64, details: [BusText: Value])

    /// The caller no longer has the field, for another reason than its own call. Sent to that program only.
    /// `reason`: why.
    ///   "idle"               it did not call for 60 s
    ///   "replaced"           another program began with another field
    ///   "user-dictates"      the user dictates into windows
    ///   "permission-lost"    the user or the administrator no longer allows it
    ///   "route-lost"         the connection to the desktop was lost
    ///   "shutdown"           the service ends
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
        case "Began":
            let (session, route, details) = try body.decoded(
                as: UInt64.self, String.self, [BusText: Value].self)
            self = .began(session: session, route: route, details: details)
        case "Typed":
            let (session, block, outcome, text, details) = try body.decoded(
                as: UInt64.self, UInt64.self, String.self, String.self, [BusText: Value].self)
            self = .typed(session: session, block: block, outcome: outcome, text: text, details: details)
        case "Failed":
            let (session, message, details) = try body.decoded(
                as: UInt64.self, String.self, [BusText: Value].self)
            self = .failed(session: session, message: message, details: details)
        case "Ended":
            let (session, details) = try body.decoded(as: UInt64.self, [BusText: Value].self)
            self = .ended(session: session, details: details)
        case "Released":
            let (field, reason, details) = try body.decoded(
                as: UInt64.self, String.self, [BusText: Value].self)
            self = .released(field: field, reason: reason, details: details)
        default: throw DBusError(.notSupported, "There is no signal \(member).")
        }
    }

    public var member: MemberName {
        switch self {
        case .began: "Began"
        case .typed: "Typed"
        case .failed: "Failed"
        case .ended: "Ended"
        case .released: "Released"
        }
    }

    /// The arguments, encoded.
    public var body: [Value] {
        switch self {
        case .began(let session, let route, let details): [Value(session), Value(route), Value(details)]
        case .typed(let session, let block, let outcome, let text, let details):
            [Value(session), Value(block), Value(outcome), Value(text), Value(details)]
        case .failed(let session, let message, let details): [Value(session), Value(message), Value(details)]
        case .ended(let session, let details): [Value(session), Value(details)]
        case .released(let field, let reason, let details): [Value(field), Value(reason), Value(details)]
        }
    }
}
