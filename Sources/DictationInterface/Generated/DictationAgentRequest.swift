// Written by packaging/generate from dbus/org.example.Dictation.Agent.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.Agent, its arguments checked.
public enum DictationAgentRequest: Hashable, Sendable {
    /// Asks the user whether an application may have what it asks for, and replies when the user
    /// has decided. An error leaves it undecided, and somebody else is asked.
    /// `cookie`: names the question, for Cancel. Cannot be guessed.
    /// `client`: of the application, as the service found out
    ///   kind s, id s    as in org.example.Dictation.Permissions; kind may be "unknown"
    /// `resources`: "microphone", "speech".
    /// `details`:
    ///   title s, subtitle s, body s    what to show, fit to be shown as it is
    /// `decision`: "allow", "deny", "allow-once" (for the connection that asks, or its lingering session), or empty
    /// where the user did not decide.
    case requestPermission(
        cookie: UInt64, client: [String: Value], resources: [String], details: [String: Value]
    )

    /// The question is no longer asked; what is replied to it does not count.
    case cancel(cookie: UInt64)

    /// The agent is no longer registered.
    case release

    /// Throws `UnknownMethod` or `InvalidArgs`, to be answered to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationAgentInterface.name,
            let method = DictationAgentMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body)
    }

    public init(_ method: DictationAgentMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .requestPermission:
            let (cookie, client, resources, details) = try body.decoded(
                as: UInt64.self, [String: Value].self, [String].self, [String: Value].self
            )
            self = .requestPermission(cookie: cookie, client: client, resources: resources, details: details)
        case .cancel:
            let cookie = try body.decoded(as: UInt64.self)
            self = .cancel(cookie: cookie)
        case .release:
            self = .release
        }
    }

    public var method: DictationAgentMethod {
        switch self {
        case .requestPermission: .requestPermission
        case .cancel: .cancel
        case .release: .release
        }
    }
}

/// What the methods of org.example.Dictation.Agent return.
public enum DictationAgentReply: Hashable, Sendable {
    case requestPermission(decision: String)

    /// Of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .requestPermission(let decision):
            [Value(decision)]
        case .done:
            []
        }
    }
}
