// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// A call of a method of org.example.Dictation.Permissions, with checked arguments.
public enum DictationPermissionsRequest: Hashable, Sendable {
    /// Every application with a decision. From this call on the caller gets Changed.
    /// `clients`: for each
    ///   kind s, id s
    ///   microphone s      "not-determined", "granted", "denied" or "restricted" (by the administrator)
    ///   speech s          the same
    ///   typing s          the same
    ///   last-used x       the start of its last dictation, in seconds since 1970; absent if there was none
    /// Errors: AccessDenied.
    case list

    /// Stores a decision. It is on the disk when the reply comes, and takes effect at once: a session that loses
    /// its permission is interrupted with "permission-lost", and resumes when it is granted again. What it had committed
    /// and not sent is sent then; a session whose input has ended waits for that. If Stop is called before, Error says
    /// that the text is lost.
    /// On the system bus polkit asks the user to confirm a grant (org.example.dictation.manage-permissions), if the
    /// call allows interactive authorisation. A denial needs no confirmation. The user may have to type a password:
    /// allow 150 s for the reply there, more than the 25 s that GDBus and others wait by default.
    /// `client`: kind and id.
    /// `resource`: "microphone", "speech" or "typing".
    /// `status`: "granted", "denied" or "not-determined".
    /// Errors: AccessDenied, also if the user has not confirmed; InvalidArgs; PermissionDenied if the administrator has
    /// decided; FileWrite if it could not be stored: a grant then changes nothing, "denied" and "not-determined" hold until
    /// the service ends.
    case set(client: [BusText: Value], resource: BusText, status: BusText)

    /// Deletes the decisions about an application; the user will be asked again. No error if there are none.
    /// `client`: kind and id.
    /// Errors: AccessDenied; InvalidArgs; FileWrite as for Set.
    case forget(client: [BusText: Value])

    /// An application's permissions, without asking the user.
    /// `client`: kind and id.
    /// `status`: "microphone", "speech" and "typing", each "not-determined", "granted", "denied" or "restricted" (by the
    /// administrator).
    /// Errors: AccessDenied; InvalidArgs.
    case check(client: [BusText: Value])

    /// The log of decisions, the latest first. Never contains dictated text.
    /// `limit`: the maximum number of decisions to return, 1 to 1000.
    /// `decisions`: for each
    ///   time x            in seconds since 1970
    ///   kind s, id s
    ///   resource s
    ///   status s          the decision
    ///   prompter s        where: "agent" with its program, "portal", or "settings" with the program that
    ///                     called Set or Forget
    /// Errors: AccessDenied; InvalidArgs; FileWrite if the log cannot be read.
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
        case .check:
            let client = try body.decoded(as: [BusText: Value].self)
            self = .check(client: client)
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
        case .check: .check
        case .log: .log
        }
    }
}

/// A reply of a method of org.example.Dictation.Permissions.
public enum DictationPermissionsReply: Hashable, Sendable {
    case list(clients: [[BusText: Value]])

    case check(status: [BusText: String])

    case log(decisions: [[BusText: Value]])

    /// The reply of each method that returns nothing.
    case done

    /// The out arguments, encoded.
    public var body: [Value] {
        switch self {
        case .list(let clients): [Value(clients)]
        case .check(let status): [Value(status)]
        case .log(let decisions): [Value(decisions)]
        case .done: []
        }
    }
}
