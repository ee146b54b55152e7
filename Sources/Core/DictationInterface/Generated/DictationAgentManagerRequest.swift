// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.AgentManager, with checked arguments.
public enum DictationAgentManagerRequest: Hashable, Sendable {
    /// From now on the service may call org.example.Dictation.Agent at the caller's connection, until the
    /// connection goes away. Registering the same path again replaces what it registered.
    /// `path`: where the agent's object is.
    /// `capabilities`: what it can do. At least one.
    ///   "prompt"        ask the user: RequestPermission, Cancel
    /// `options`:
    ///   fallback b (false)    asked only if the desktop's own dialog fails
    ///   own b (false)         asked only about its own application
    /// Errors: AccessDenied; InvalidArgs; LimitExceeded.
    case register(path: ObjectPath, capabilities: [BusText], options: [BusText: Value])

    /// Ends the registration. A question that the agent has not answered goes to the next agent.
    /// Errors: AccessDenied; NotRunning if nothing is registered there.
    case unregister(path: ObjectPath)

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationAgentManagerInterface.name,
            let method = DictationAgentManagerMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationAgentManagerMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .register:
            let (path, capabilities, options) = try body.decoded(
                as: ObjectPath.self, [BusText].self, [BusText: Value].self)
            self = .register(path: path, capabilities: capabilities, options: options)
        case .unregister:
            let path = try body.decoded(as: ObjectPath.self)
            self = .unregister(path: path)
        }
    }

    public var method: DictationAgentManagerMethod {
        switch self {
        case .register: .register
        case .unregister: .unregister
        }
    }
}

/// A reply of a method of org.example.Dictation.AgentManager.
public enum DictationAgentManagerReply: Hashable, Sendable {
    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .done: []
        }
    }
}
