/// Which signals to receive. Nil matches anything.
public struct MatchRule: Hashable, Sendable {
    /// For a well-known name, its owner at the time.
    public var sender: BusName?
    public var path: ObjectPath?
    /// This object and all below it.
    public var pathNamespace: ObjectPath?
    public var interface: InterfaceName?
    public var member: MemberName?
    /// String arguments that must have this value, by their number from 0.
    public var arguments: [Int: String]

    public init(
        sender: BusName? = nil, path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil,
        interface: InterfaceName? = nil, member: MemberName? = nil, arguments: [Int: String] = [:]
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }

    /// In the format of the bus.
    var text: String {
        var parts = [("type", "signal")]
        if let sender { parts.append(("sender", sender.rawValue)) }
        if let path { parts.append(("path", path.rawValue)) }
        if let pathNamespace { parts.append(("path_namespace", pathNamespace.rawValue)) }
        if let interface { parts.append(("interface", interface.rawValue)) }
        if let member { parts.append(("member", member.rawValue)) }
        for (number, value) in arguments.sorted(by: { $0.key < $1.key }) {
            parts.append(("arg\(number)", value))
        }
        return parts.map { "\($0)='\(Self.quoted($1))'" }.joined(separator: ",")
    }

    /// Whether a signal matches. `owner` is the unique name of the rule's sender.
    func matches(_ signal: Message, owner: BusName?) -> Bool {
        (sender == nil || owner != nil && signal.sender == owner) && (path == nil || signal.path == path)
            && (interface == nil || signal.interface == interface)
            && (member == nil || signal.member == member)
            && pathNamespace.map { namespace in
                signal.path.map { $0 == namespace || $0.relative(to: namespace) != nil } ?? false
            } ?? true
    }

    /// Whether the arguments match.
    func matches(_ body: [Value]) -> Bool {
        arguments.allSatisfy { number, value in
            body.indices.contains(number) && body[number] == .string(value)
        }
    }

    /// Quotes of the rule cannot contain an apostrophe: it is escaped between two quoted parts.
    private static func quoted(_ value: String) -> String {
        value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
    }
}
