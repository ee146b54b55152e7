// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.Typing, with checked arguments.
public enum DictationTypingRequest: Hashable, Sendable {
    /// Begins with the text field that has the focus. A field that the caller has is released first. If another
    /// program has a field that no longer has the focus, that is released too, with reason "replaced".
    /// `options`:
    ///   fit b (true)      spaces are added where the text needs them, before and after it
    ///   capitals b (false)    the first letter is fitted to the text before it: large at the start of a sentence, small for
    ///                     frequent English words in the middle of one
    ///   language s        the language of the text, a BCP 47 tag, for "capitals"
    ///   live b (true)     Show shows the text in the field
    /// `field`: its number, unique while the service runs.
    /// `details`:
    ///   live b            whether the field can show text that is not inserted yet
    ///   replace b         whether ReplaceLast works here at present
    ///   terminal b        whether it is a terminal
    /// Errors: PermissionRequired; PermissionDenied; NoField; SecretField; LimitExceeded;
    /// org.freedesktop.DBus.Error.NotSupported if nothing can type on this desktop: the message says why.
    case beginField(options: [BusText: Value])

    /// Shows text in the field that may still change, underlined, instead of what was shown before. It is not part of
    /// the field's text, and is gone with the next Insert, ReplaceLast or Release. Of long text the end is shown.
    /// `text`: empty shows nothing.
    /// `shown`: whether the field shows it now. Not if the field cannot, or another one has the focus: then it is shown when
    /// the field has the focus again.
    /// Errors: NotRunning; InvalidArgs; LimitExceeded.
    case show(field: UInt64, text: BusText)

    /// Types text at the cursor. Replies when it is known what became of it, usually within milliseconds; an
    /// application that does not answer is waited for, so allow 90 s.
    /// `text`: not empty; with "fit" not only white space.
    /// `outcome`: what became of it.
    ///   "typed"       it was typed
    ///   "doubtful"    it may have been typed or not, because the focus moved or the connection to the desktop was lost at
    ///                 that moment
    ///   "refused"     it was not typed: the field is private by now, or its window does not take it
    ///   "moved"       it was not typed, because another field has the focus: of a text of more than 3000 bytes the
    ///                 beginning may have been. It is not typed later. The field stays the caller's
    /// `details`:
    ///   seen b        with "typed": whether the field has reported the text. Some applications report none
    ///   message s     for people, in English, if it was not typed; contains no text of the user
    /// Errors: NotRunning; InvalidArgs; LimitExceeded.
    case insert(field: UInt64, text: BusText)

    /// Deletes the text that the caller inserted last into this field and types another one. Repeated calls
    /// replace the replacement. Only if the field reports that exactly this text is before the cursor, and only if the old
    /// text is ASCII, because some applications count bytes instead of characters and would delete too much or too little.
    /// `text`: empty only deletes.
    /// `outcome`: as for Insert; "refused" also if the old text cannot be deleted: then nothing has changed. "doubtful" also
    /// if the field did not report the deletion: then the new text was not typed. "moved" if nothing was deleted, because
    /// another field has the focus, and also if the old text was deleted before it had: "message" says so.
    /// `details`: as for Insert.
    /// Errors: NotRunning; InvalidArgs; LimitExceeded.
    case replaceLast(field: UInt64, text: BusText)

    /// The caller is done with the field. Text that is only shown disappears. What was inserted stays. Calls that
    /// wait are carried out first.
    /// Errors: NotRunning.
    case release(field: UInt64)

    /// For a key: begins dictation into the focused window, or finishes the one that runs. It belongs to no
    /// connection: it lasts until Finish, Toggle or StopAll, and text that is not typed is shown as a notification.
    /// If the service crashes, it ends, and its words are shown in the same way: another window may have the focus.
    /// Callers in a sandbox and unidentified callers are refused with AccessDenied.
    /// `options`: as for Start, without "linger", "input", "record" and "broadcast"; "type" need not be there, and
    /// "auto-commit" is 1000 if nothing says otherwise. The desktop may ask the user first, so allow 90 s for the reply.
    /// `began`: false if it finishes one.
    /// Errors: as for Start.
    case toggle(options: [BusText: Value])

    /// Ends the dictation into windows. Speech so far is still typed.
    /// Errors: AccessDenied, as for Toggle; NotRunning.
    case finish

    /// Closes the microphone. The text so far stays; when it is typed or discarded, the user has the own input
    /// method.
    /// Errors: as for Finish.
    case pause

    /// Opens the microphone again.
    /// Errors: as for Finish.
    case resume

    /// Types the text so far. The dictation goes on.
    /// Errors: as for Finish.
    case commit

    /// Discards the words that are not final yet; if there are none, deletes the text that was typed last, if the
    /// same field has the focus and its cursor is behind that text. Repeated calls delete the texts before it. Works for a
    /// minute after the end of the dictation, unless something else types.
    /// Errors: as for Finish; NotRunning also if nothing was deleted: the message says why.
    case undo

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationTypingInterface.name,
            let method = DictationTypingMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationTypingMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .beginField:
            let options = try body.decoded(as: [BusText: Value].self)
            self = .beginField(options: options)
        case .show:
            let (field, text) = try body.decoded(as: UInt64.self, BusText.self)
            self = .show(field: field, text: text)
        case .insert:
            let (field, text) = try body.decoded(as: UInt64.self, BusText.self)
            self = .insert(field: field, text: text)
        case .replaceLast:
            let (field, text) = try body.decoded(as: UInt64.self, BusText.self)
            self = .replaceLast(field: field, text: text)
        case .release:
            let field = try body.decoded(as: UInt64.self)
            self = .release(field: field)
        case .toggle:
            let options = try body.decoded(as: [BusText: Value].self)
            self = .toggle(options: options)
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

    public var method: DictationTypingMethod {
        switch self {
        case .beginField: .beginField
        case .show: .show
        case .insert: .insert
        case .replaceLast: .replaceLast
        case .release: .release
        case .toggle: .toggle
        case .finish: .finish
        case .pause: .pause
        case .resume: .resume
        case .commit: .commit
        case .undo: .undo
        }
    }
}

/// A reply of a method of org.example.Dictation.Typing.
public enum DictationTypingReply: Hashable, Sendable {
    case beginField(field: UInt64, details: [BusText: Value])

    case show(shown: Bool)

    case insert(outcome: String, details: [BusText: Value])

    case replaceLast(outcome: String, details: [BusText: Value])

    case toggle(began: Bool)

    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .beginField(let field, let details): [Value(field), Value(details)]
        case .show(let shown): [Value(shown)]
        case .insert(let outcome, let details): [Value(outcome), Value(details)]
        case .replaceLast(let outcome, let details): [Value(outcome), Value(details)]
        case .toggle(let began): [Value(began)]
        case .done: []
        }
    }
}
