// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.Permissions, with checked arguments.
public enum DictationPermissionsRequest: Hashable, Sendable {
    /// Every application about which something was decided. From this call on the caller gets Changed.
    /// `clients`: for each
    ///   kind s, id s
    ///   microphone s      "not-determined", "granted", "denied" or "restricted" (by the administrator)
    ///   speech s          the same
    ///   last-used x       when it last began to dictate, in seconds since 1970; absent if never
    /// Errors: AccessDenied.
    case list

    /// Decides. It is on the disk when the reply comes, and holds at once: a session that loses its permission
    /// is interrupted with "permission-lost", and resumes when it is granted again.
    /// On the system bus polkit has the user confirm what is granted (org.example.dictation.manage-permissions), where
    /// the call allows interactive authorisation. What is denied nobody has to confirm. As the user has to type, allow
    /// 150 s for the reply there, more than the 25 s that GDBus and others wait by default.
    /// `client`: kind and id.
    /// `status`: "granted", "denied" or "not-determined".
    /// Errors: AccessDenied, also where the user has not confirmed; InvalidArgs; PermissionDenied where the administrator has decided; FileWrite where it
    /// could not be stored: then nothing has changed.
    case set(client: [BusText: Value], resource: BusText, status: BusText)

    /// Makes everything about an application undecided; it will be asked about again. No error where nothing
    /// was decided.
    /// `client`: kind and id.
    /// Errors: AccessDenied; InvalidArgs; FileWrite.
    case forget(client: [BusText: Value])

    /// How it was decided, the latest first. Never holds dictated text.
    /// `limit`: the greatest number of decisions to tell, 1 to 1000.
    /// `decisions`: for each
    ///   time x            in seconds since 1970
    ///   kind s, id s
    ///   resource s
    ///   status s          what was decided
    ///   prompter s        through what: "agent" with its program, "portal", or "settings" with the program that
    ///                     called Set or Forget
    /// Errors: AccessDenied; InvalidArgs; FileWrite where the log cannot be read.
    case log(limit: UInt32)

    /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
    public init(_ call: MethodCall) throws(DBusError) {
        guard call.interface == DictationPermissionsInterface.name,
            let method = DictationPermissionsMethod(rawValue: call.member.rawValue)
        else { throw DBusError(.unknownMethod, "There is no such method.") }
        try self.init(method, call.body())
    }

    public init(_ method: DictationPermissionsMethod, _ body: [Value]) throws(DBusError) {
        switch method {
        case .list:
            self = .list
        case .set:
            let (client, resource, status) = try body.decoded(
                as: [BusText: Value].self, BusText.self, BusText.self)
            self = .set(client: client, resource: resource, status: status)
        case .forget:
            let client = try body.decoded(as: [BusText: Value].self)
            self = .forget(client: client)
        case .log:
            let limit = try body.decoded(as: UInt32.self)
            self = .log(limit: limit)
        }
    }

    public var method: DictationPermissionsMethod {
        switch self {
        case .list: .list
        case .set: .set
        case .forget: .forget
        case .log: .log
        }
    }
}

/// A reply of a method of org.example.Dictation.Permissions.
public enum DictationPermissionsReply: Hashable, Sendable {
    case list(clients: [[BusText: Value]])

    case log(decisions: [[BusText: Value]])

    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .list(let clients): [Value(clients)]
        case .log(let decisions): [Value(decisions)]
        case .done: []
        }
    }
}
