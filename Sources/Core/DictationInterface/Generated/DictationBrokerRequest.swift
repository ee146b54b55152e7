// Written by packaging/generate from dbus/private/org.example.Dictation.Peer.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.Broker, with checked arguments.
public enum DictationBrokerRequest: Hashable, Sendable {
    /// The first call of a worker, within 5 s of connecting.
    /// `worker`:
    ///   protocol u      the version of these interfaces
    ///   uid u           the user that it works for
    ///   session t       the highest number of a session that it knows, less than 2^62
    ///   owners a(sss)   the connections with sessions that wait to be restored: name, and kind and id of their
    ///                   application. The broker calls Permission for each before it replies.
    ///   applications a(ss)    the applications whose texts the history has: kind and id. The broker calls Permission for each
    ///                   before it replies
    /// `broker`:
    ///   session t     further sessions have higher numbers than this
    ///   vanished as   owners that have left the bus
    /// Errors: InvalidArgs for another protocol; AccessDenied; LimitExceeded if the user has a worker.
    case hello(worker: [BusText: Value])

    /// Whether this worker has something that would be lost or missed: sessions, subscribers, commits.
    /// `needed`: false until the first call.
    case needed(needed: Bool)

    /// All sessions, after each change.
    /// `numbers`: of the sessions.
    /// `owners`: of each; empty if it has gone.
    case sessions(numbers: [UInt64], owners: [BusText])

    /// Calls Ping of a client, which answers when it has read what was sent to it before.
    /// `client`: its unique name.
    /// `answered`: false if it has not answered, or if too many pings wait.
    case ping(client: BusText)

    /// This worker ends on purpose. Nothing follows.
    case bye

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationBrokerInterface.name,
            let method = DictationBrokerMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationBrokerMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .hello:
            let worker = try body.decoded(as: [BusText: Value].self)
            self = .hello(worker: worker)
        case .needed:
            let needed = try body.decoded(as: Bool.self)
            self = .needed(needed: needed)
        case .sessions:
            let (numbers, owners) = try body.decoded(as: [UInt64].self, [BusText].self)
            self = .sessions(numbers: numbers, owners: owners)
        case .ping:
            let client = try body.decoded(as: BusText.self)
            self = .ping(client: client)
        case .bye:
            self = .bye
        }
    }

    public var method: DictationBrokerMethod {
        switch self {
        case .hello: .hello
        case .needed: .needed
        case .sessions: .sessions
        case .ping: .ping
        case .bye: .bye
        }
    }
}

/// A reply of a method of org.example.Dictation.Broker.
public enum DictationBrokerReply: Hashable, Sendable {
    case hello(broker: [BusText: Value])

    case ping(answered: Bool)

    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .hello(let broker): [Value(broker)]
        case .ping(let answered): [Value(answered)]
        case .done: []
        }
    }
}
