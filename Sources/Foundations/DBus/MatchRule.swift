/// Which signals to receive. What is not given may be anything.
public struct MatchRule: Hashable, Sendable {
    /// If a well-known name, whoever owns it at the time.
    public var sender: BusName?
    public var path: ObjectPath?
    /// This object and all below it.
    public var pathNamespace: ObjectPath?
    public var interface: InterfaceName?
    public var member: MemberName?
    /// Arguments, by their number from 0, that are strings and have this value.
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

    /// As the bus takes it.
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

    /// Whether the signal is one of these, `owner` being the unique name of the sender that is asked for.
    func matches(_ signal: Message, owner: BusName?) -> Bool {
        (sender == nil || owner != nil && signal.sender == owner) && (path == nil || signal.path == path)
            && (interface == nil || signal.interface == interface)
            && (member == nil || signal.member == member)
            && pathNamespace.map { namespace in
                signal.path.map { $0 == namespace || $0.relative(to: namespace) != nil } ?? false
            } ?? true
    }

    /// Whether the arguments are those asked for.
    func matches(_ body: [Value]) -> Bool {
        arguments.allSatisfy { number, value in
            body.indices.contains(number) && body[number] == .string(value)
        }
    }

    /// Between apostrophes an apostrophe cannot be written: it stands escaped between two quotations.
    private static func quoted(_ value: String) -> String {
        value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
    }
}
