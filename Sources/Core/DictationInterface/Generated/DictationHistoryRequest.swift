// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.History, with checked arguments.
public enum DictationHistoryRequest: Hashable, Sendable {
    /// The last texts, the newest first.
    /// `options`:
    ///   limit u (50)        at most so many, 1 to 200
    ///   before t            only those with a lower id: for the next page
    ///   changes b (false)   from this call on the caller gets Changed
    /// `entries`: for each
    ///   id t                its number: later texts have higher ones, and no number is used again
    ///   time x              when it was final, in seconds since 1970
    ///   kind s              of the application that dictated it: as in org.example.Dictation.Permissions, or "unknown"
    ///   client s            its id
    ///   application s       as in Start; absent if it had none
    ///   language s          as a BCP 47 tag
    ///   engine s            the engine that gave it
    ///   text s              at most the first 500 characters: Get has all
    ///   long b              there are more; absent if not
    ///   original s          only of Get: the first text, if it was recognised again since
    ///   sound s             the path of a WAV file with its sound, readable by the user only; absent if none is kept
    ///   duration d          of the sound, in seconds; absent if none is kept
    /// `lifetime`: how long texts are kept, in seconds; 0 if they are not.
    /// Errors: AccessDenied; PermissionDenied; PermissionRequired; InvalidArgs.
    case list(options: [BusText: Value])

    /// One text, whole.
    /// `id`: as in List.
    /// `entry`: as in List, with all of its text, and its first one.
    /// Errors: AccessDenied; PermissionDenied; PermissionRequired; InvalidArgs if there is no such text.
    case get(id: UInt64)

    /// Erases these texts and their sound. Those that are not there count as erased. They are gone from the disk when
    /// the reply comes.
    /// `ids`: as in List, at most 1000.
    /// `count`: how many there were.
    /// Errors: AccessDenied; FileWrite if they could not be erased.
    case forget(ids: [UInt64])

    /// Erases all texts and all sound.
    /// `count`: how many texts there were.
    /// Errors: AccessDenied; FileWrite if they could not be erased.
    case clear

    /// Recognises the sound of a text again, and replaces the text by the result. Get has the first text too. A client
    /// should allow 60 s for the reply, more than the 25 s that GDBus and others wait by default.
    /// `id`: as in List.
    /// `options`:
    ///   engine s      as in Start
    ///   language s    as in Start
    ///   formatting s  as in Start
    /// `entry`: as for Get.
    /// Errors: those of Start; InvalidArgs if there is no such text; org.freedesktop.DBus.Error.NotSupported if its sound is not
    /// kept; EngineFailed if nothing was recognised: then the text stays.
    case again(id: UInt64, options: [BusText: Value])

    /// Whether the texts of the caller's session are kept from its current block on. For programs that type: nothing is
    /// kept of a block during which a field for a password had the focus, not even if Keep is called with true within it.
    /// `kept`: replaces the option "history" of Start, but not the user's choice about the application.
    /// Errors: NotRunning.
    case keep(kept: Bool)

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationHistoryInterface.name,
            let method = DictationHistoryMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationHistoryMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .list:
            let options = try body.decoded(as: [BusText: Value].self)
            self = .list(options: options)
        case .get:
            let id = try body.decoded(as: UInt64.self)
            self = .get(id: id)
        case .forget:
            let ids = try body.decoded(as: [UInt64].self)
            self = .forget(ids: ids)
        case .clear:
            self = .clear
        case .again:
            let (id, options) = try body.decoded(as: UInt64.self, [BusText: Value].self)
            self = .again(id: id, options: options)
        case .keep:
            let kept = try body.decoded(as: Bool.self)
            self = .keep(kept: kept)
        }
    }

    public var method: DictationHistoryMethod {
        switch self {
        case .list: .list
        case .get: .get
        case .forget: .forget
        case .clear: .clear
        case .again: .again
        case .keep: .keep
        }
    }
}

/// A reply of a method of org.example.Dictation.History.
public enum DictationHistoryReply: Hashable, Sendable {
    case list(entries: [[BusText: Value]], lifetime: UInt32)

    case get(entry: [BusText: Value])

    case forget(count: UInt32)

    case clear(count: UInt32)

    case again(entry: [BusText: Value])

    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .list(let entries, let lifetime): [Value(entries), Value(lifetime)]
        case .get(let entry): [Value(entry)]
        case .forget(let count): [Value(count)]
        case .clear(let count): [Value(count)]
        case .again(let entry): [Value(entry)]
        case .done: []
        }
    }
}
