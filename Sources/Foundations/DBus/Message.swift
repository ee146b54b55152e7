/// A message of D-Bus.
public struct Message: Sendable {
    public enum Kind: Int32, Sendable {
        case methodCall = 1
        case methodReturn, error, signal
    }

    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The caller expects neither a reply nor an error.
        public static let noReplyExpected = Flags(rawValue: 1)
        /// The call does not start the service.
        public static let noAutoStart = Flags(rawValue: 2)
        /// The caller waits while the user is asked.
        public static let interactiveAuthorization = Flags(rawValue: 4)
    }

    public var kind: Kind
    public var flags: Flags = []
    /// The serial number, from 1; 0 before sending.
    public var serial: UInt32 = 0
    /// The serial of the call that a reply or an error belongs to.
    public var replySerial: UInt32?
    /// The sender's unique name, written by the bus, or by a process that passes on the bus's messages.
    public var sender: BusName?
    public var destination: BusName?
    public var path: ObjectPath?
    public var interface: InterfaceName?
    public var member: MemberName?
    public var errorName: ErrorName?
    public var body: [Value] = []
    /// The types of the body.
    public var signature: Signature { Signature(body.map(\.signature)) }

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// A call of a method.
    init(
        callTo destination: BusName, _ path: ObjectPath, _ interface: InterfaceName?, _ member: MemberName,
        _ body: [Value] = [], _ flags: Flags = []
    ) {
        self.init(.methodCall)
        self.flags = flags
        self.destination = destination == .peer ? nil : destination
        self.path = path
        self.interface = interface
        self.member = member
        self.body = body
    }
}
