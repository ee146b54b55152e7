// Written by packaging/generate from dbus/org.example.Dictation.Fields.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.Fields, with checked arguments.
public enum DictationFieldsRequest: Hashable, Sendable {
    /// Begins to report the field with the focus to the caller, until it calls Close, leaves the bus, or another
    /// program calls Open. Live text of the program before it is removed. The shell refuses all programs but the
    /// service's dictation-worker with org.freedesktop.DBus.Error.AccessDenied: they use org.example.Dictation.Typing.
    /// `field`: the field with the focus, as in FieldChanged.
    case open

    /// Carries out these edits of the field with the focus, in one turn of the shell's loop and in this order. Nothing
    /// is done if the field is visited anew since "visit", or if the caller is not the one that called Open last.
    /// `visit`: as reported for the field.
    /// `edits`: at most 16.
    ///   "show"        shows the text in the field, underlined, instead of what was shown before
    ///   "clear"       shows none
    ///   "commit"      types the text; the number names it in Committed
    ///   "delete"      deletes this number of characters before the cursor, which are ASCII
    /// `texts`: of each edit; empty for those that have none.
    /// `numbers`: of each edit; 0 for those that have none.
    case edit(visit: UInt64, edits: [BusText], texts: [BusText], numbers: [UInt64])

    /// Ends the reports. Live text is removed.
    case close

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationFieldsInterface.name,
            let method = DictationFieldsMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationFieldsMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .open:
            self = .open
        case .edit:
            let (visit, edits, texts, numbers) = try body.decoded(
                as: UInt64.self, [BusText].self, [BusText].self, [UInt64].self)
            self = .edit(visit: visit, edits: edits, texts: texts, numbers: numbers)
        case .close:
            self = .close
        }
    }

    public var method: DictationFieldsMethod {
        switch self {
        case .open: .open
        case .edit: .edit
        case .close: .close
        }
    }
}

/// A reply of a method of org.example.Dictation.Fields.
public enum DictationFieldsReply: Hashable, Sendable {
    case open(field: [BusText: Value])

    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .open(let field): [Value(field)]
        case .done: []
        }
    }
}
