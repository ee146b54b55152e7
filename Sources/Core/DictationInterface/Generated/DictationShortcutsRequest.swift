// Written by packaging/generate from dbus/private/org.example.Dictation.Shortcuts.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.Shortcuts, with checked arguments.
public enum DictationShortcutsRequest: Hashable, Sendable {
    /// The keys that the desktop's portal has bound for dictation.
    /// `bound`: the desktop's description of each key, by what it does: "dictate", or "dictate-" and a language. The
    /// description may be empty.
    /// `failure`: why there are none, for people; else empty.
    case get

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationShortcutsInterface.name,
            let method = DictationShortcutsMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationShortcutsMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .get:
            self = .get
        }
    }

    public var method: DictationShortcutsMethod {
        switch self {
        case .get: .get
        }
    }
}

/// A reply of a method of org.example.Dictation.Shortcuts.
public enum DictationShortcutsReply: Hashable, Sendable {
    case get(bound: [BusText: String], failure: String)

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .get(let bound, let failure): [Value(bound), Value(failure)]
        }
    }
}
