/// What travels over the bus.
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

        /// The caller wants neither a reply nor an error.
        public static let noReplyExpected = Flags(rawValue: 1)
        /// The service is not to be started for it.
        public static let noAutoStart = Flags(rawValue: 2)
        /// The caller will wait while the user is asked.
        public static let interactiveAuthorization = Flags(rawValue: 4)
    }

    public var kind: Kind
    public var flags: Flags = []
    /// Numbers the messages of a connection, from 1; 0 before it is sent.
    public var serial: UInt32 = 0
    /// Of the call that a return or an error answers.
    public var replySerial: UInt32?
    /// The unique name of who sent it: the bus writes it, nobody can forge it.
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
}
