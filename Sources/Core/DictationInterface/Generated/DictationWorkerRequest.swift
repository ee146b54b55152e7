// Written by packaging/generate from dbus/private/org.example.Dictation.Peer.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.Worker, with checked arguments.
public enum DictationWorkerRequest: Hashable, Sendable {
    /// On a client's behalf, before its first call and after each change: who it is.
    /// `client`: as in org.example.Dictation.Permissions; kind may be "unknown".
    /// `status`: the stored decisions about it: a PermissionStatus for "microphone", "speech" and "typing".
    case client(client: [BusText: Value], status: [BusText: BusText])

    /// A decision about an application has changed. Replied when it holds: a microphone that it may no longer
    /// use is closed.
    /// `client`: as for Client.
    /// `status`: as for Client.
    case permission(client: [BusText: Value], status: [BusText: BusText])

    /// Identifies the application of a process of the worker's user. The broker holds the process meanwhile, so that
    /// its number is not reused.
    /// `pid`: as the bus reports it.
    /// `client`: as for Client. Errors: a shortage, after which the broker asks again.
    case identify(pid: UInt32)

    /// On a client's behalf: it may use these until it leaves the bus.
    /// `resources`: "microphone", "speech", "typing".
    case allowedOnce(resources: [BusText])

    /// On a client's behalf: it has left the bus.
    case vanished

    /// After the end of another worker that was needed: its clients are introduced and have subscribed again. Their
    /// sessions return, without a call of theirs. After any other worker, only those who had subscribed are introduced and
    /// subscribe again.
    /// `numbers`: of the sessions that the other one had. One that cannot return is over: signal that.
    /// `owners`: of each, as for Sessions.
    case restore(numbers: [UInt64], owners: [BusText])

    /// Asks the user by the desktop's own dialog, and replies when the user has decided. After an error another prompter
    /// is asked.
    /// `cookie`: names the question, for CancelQuestion.
    /// `client`: as for Client.
    /// `resources`: "microphone", "speech", "typing".
    /// `decision`: as for RequestPermission of org.example.Dictation.Agent.
    case ask(cookie: UInt64, client: [BusText: Value], resources: [BusText])

    /// The question is withdrawn. Its reply does not matter any more.
    case cancelQuestion(cookie: UInt64)

    /// Commits what is open, answers every call, calls Bye, and closes the connection: within 5 s, or 7 s if it answers
    /// calls or ends sessions meanwhile. After that the broker closes the connection.
    case end

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationWorkerInterface.name,
            let method = DictationWorkerMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationWorkerMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .client:
            let (client, status) = try body.decoded(as: [BusText: Value].self, [BusText: BusText].self)
            self = .client(client: client, status: status)
        case .permission:
            let (client, status) = try body.decoded(as: [BusText: Value].self, [BusText: BusText].self)
            self = .permission(client: client, status: status)
        case .identify:
            let pid = try body.decoded(as: UInt32.self)
            self = .identify(pid: pid)
        case .allowedOnce:
            let resources = try body.decoded(as: [BusText].self)
            self = .allowedOnce(resources: resources)
        case .vanished:
            self = .vanished
        case .restore:
            let (numbers, owners) = try body.decoded(as: [UInt64].self, [BusText].self)
            self = .restore(numbers: numbers, owners: owners)
        case .ask:
            let (cookie, client, resources) = try body.decoded(
                as: UInt64.self, [BusText: Value].self, [BusText].self)
            self = .ask(cookie: cookie, client: client, resources: resources)
        case .cancelQuestion:
            let cookie = try body.decoded(as: UInt64.self)
            self = .cancelQuestion(cookie: cookie)
        case .end:
            self = .end
        }
    }

    public var method: DictationWorkerMethod {
        switch self {
        case .client: .client
        case .permission: .permission
        case .identify: .identify
        case .allowedOnce: .allowedOnce
        case .vanished: .vanished
        case .restore: .restore
        case .ask: .ask
        case .cancelQuestion: .cancelQuestion
        case .end: .end
        }
    }
}

/// A reply of a method of org.example.Dictation.Worker.
public enum DictationWorkerReply: Hashable, Sendable {
    case identify(client: [BusText: Value])

    case ask(decision: String)

    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .identify(let client): [Value(client)]
        case .ask(let decision): [Value(decision)]
        case .done: []
        }
    }
}
