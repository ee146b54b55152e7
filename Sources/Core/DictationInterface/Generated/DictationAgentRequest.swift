// Written by packaging/generate from dbus/org.example.Dictation.Agent.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.Agent, with checked arguments.
public enum DictationAgentRequest: Hashable, Sendable {
    /// Asks the user whether an application may have what it asks for, and replies when the user
    /// has decided. After an error another prompter is asked.
    /// `cookie`: names the question, for Cancel. Cannot be guessed.
    /// `client`: the application, as identified by the service
    ///   kind s, id s    as in org.example.Dictation.Permissions; kind may be "unknown"
    /// `resources`: "microphone", "speech", "typing".
    /// `details`:
    ///   title s, subtitle s, body s    the text to show, in English; safe to show unchanged
    ///   interpreter s                  the language of the programs that the application runs, which cannot be told apart;
    ///                                  absent for other applications
    /// `decision`: "allow", "deny", "allow-once" (for the connection that asks, or its lingering session), or empty if
    /// the user did not decide.
    case requestPermission(
        cookie: UInt64, client: [BusText: Value], resources: [BusText], details: [BusText: Value])

    /// The question is withdrawn; its reply is ignored. Reply to it anyway, with an empty decision: the bus
    /// allows few calls without a reply, and the service makes no more calls to a user's agents than that.
    case cancel(cookie: UInt64)

    /// The agent is no longer registered, because the service ends.
    case release

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationAgentInterface.name,
            let method = DictationAgentMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationAgentMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .requestPermission:
            let (cookie, client, resources, details) = try body.decoded(
                as: UInt64.self, [BusText: Value].self, [BusText].self, [BusText: Value].self)
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

/// A reply of a method of org.example.Dictation.Agent.
public enum DictationAgentReply: Hashable, Sendable {
    case requestPermission(decision: String)

    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .requestPermission(let decision): [Value(decision)]
        case .done: []
        }
    }
}
