// Written by packaging/generate from dbus/org.example.Dictation.Agent.xml; change that instead.

public import DBus
public import EventLoop

/// A call of a method of org.example.Dictation.Agent, with checked arguments.
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
        cookie: UInt64, client: [BusText: Value], resources: [BusText], details: [BusText: Value])

    /// The question is no longer asked; what is replied to it does not count. Reply to it all the same, with an
    /// empty decision: the bus has room for few calls without a reply, and the service makes no more calls to a user's
    /// agents than that.
    case cancel(cookie: UInt64)

    /// A new connection to the user's PipeWire, made and restricted by the agent to what capturing
    /// and watching need, and not spoken on since. Asked again whenever the last one was lost. An error means that
    /// there is none to be had now; register again when there is.
    /// `remote`: a connected socket.
    case openPipeWireRemote

    /// Which application a process of the user's is. The service holds the process meanwhile, so that its
    /// number does not become another's.
    /// `pid`: as the bus told the service.
    /// `options`: none yet.
    /// `client`: kind and id, as in org.example.Dictation.Permissions; kind may be "unknown".
    case identify(pid: UInt32, options: [BusText: Value])

    /// What dictation does now, for the media players to follow. Players that play are paused when
    /// it begins to listen, and go on when it no longer wants to and nothing else keeps them quiet. An agent that is
    /// released, or that sees the service go, takes all three for false.
    /// `activity`:
    ///   listening b    sound flows to a session
    ///   wanted b       a session listens, or would if it could
    ///   quiet b        a call, sleep or the lock screen: no time for music
    case followDictation(activity: [BusText: Value])

    /// The agent is no longer registered. Either the service ends, or the agent did not reply to a call within
    /// 5 s: then it is told without a reply being expected, and may register again, best after a second and then ever
    /// more seldom.
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
        case .openPipeWireRemote:
            self = .openPipeWireRemote
        case .identify:
            let (pid, options) = try body.decoded(as: UInt32.self, [BusText: Value].self)
            self = .identify(pid: pid, options: options)
        case .followDictation:
            let activity = try body.decoded(as: [BusText: Value].self)
            self = .followDictation(activity: activity)
        case .release:
            self = .release
        }
    }

    public var method: DictationAgentMethod {
        switch self {
        case .requestPermission: .requestPermission
        case .cancel: .cancel
        case .openPipeWireRemote: .openPipeWireRemote
        case .identify: .identify
        case .followDictation: .followDictation
        case .release: .release
        }
    }
}

/// A reply of a method of org.example.Dictation.Agent.
public enum DictationAgentReply: Hashable, Sendable {
    case requestPermission(decision: String)

    case openPipeWireRemote(remote: Descriptor)

    case identify(client: [BusText: Value])

    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .requestPermission(let decision): [Value(decision)]
        case .openPipeWireRemote(let remote): [Value(remote)]
        case .identify(let client): [Value(client)]
        case .done: []
        }
    }
}
