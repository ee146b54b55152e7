// Written by packaging/generate from dbus/org.example.Dictation.TypingControl.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.TypingControl, with checked arguments.
public enum DictationTypingControlRequest: Hashable, Sendable {
    /// Ends the dictation. Speech so far is still typed.
    case finish

    /// Closes the microphone. The text so far stays.
    case pause

    /// Opens the microphone again.
    case resume

    /// Types the text so far. The dictation goes on.
    case commit

    /// Discards the words that are not final yet; if there are none, deletes the text that was typed last, if the
    /// same field has the focus and its cursor is behind that text. Repeated calls delete the texts before it. An error
    /// means that nothing was deleted, and its message says why.
    case undo

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationTypingControlInterface.name,
            let method = DictationTypingControlMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationTypingControlMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .finish:
            self = .finish
        case .pause:
            self = .pause
        case .resume:
            self = .resume
        case .commit:
            self = .commit
        case .undo:
            self = .undo
        }
    }

    public var method: DictationTypingControlMethod {
        switch self {
        case .finish: .finish
        case .pause: .pause
        case .resume: .resume
        case .commit: .commit
        case .undo: .undo
        }
    }
}

/// A reply of a method of org.example.Dictation.TypingControl.
public enum DictationTypingControlReply: Hashable, Sendable {
    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .done: []
        }
    }
}
