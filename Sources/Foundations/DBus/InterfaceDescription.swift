/// The description of an interface, for `Introspect` and for checking calls.
public struct InterfaceDescription: Hashable, Sendable {
    public var name: InterfaceName
    public var methods: [Method]
    public var signals: [Signal]
    public var properties: [Property]
    public var annotations: [String: String]

    public init(
        _ name: InterfaceName, methods: [Method] = [], signals: [Signal] = [], properties: [Property] = [],
        annotations: [String: String] = [:]
    ) {
        self.name = name
        self.methods = methods
        self.signals = signals
        self.properties = properties
        self.annotations = annotations
    }

    /// Names and types, in order: `["block": "t", "text": "s"]`.
    public struct Arguments: Hashable, Sendable, ExpressibleByDictionaryLiteral {
        public var names: [String]
        public var types: [Signature]

        public init(dictionaryLiteral elements: (String, Signature)...) {
            names = elements.map(\.0)
            types = elements.map(\.1)
        }

        public var signature: Signature { Signature(types) }
    }

    public struct Method: Hashable, Sendable {
        public var name: MemberName
        public var input: Arguments
        public var output: Arguments
        /// Limits of a call's arguments.
        public var limits: MessageLimits
        public var annotations: [String: String]

        public init(
            _ name: MemberName, in input: Arguments = [:], out output: Arguments = [:],
            limits: MessageLimits = .call, annotations: [String: String] = [:]
        ) {
            self.name = name
            self.input = input
            self.output = output
            self.limits = limits
            self.annotations = annotations
        }
    }

    public struct Signal: Hashable, Sendable {
        public var name: MemberName
        public var arguments: Arguments
        public var annotations: [String: String]

        public init(_ name: MemberName, _ arguments: Arguments = [:], annotations: [String: String] = [:]) {
            self.name = name
            self.arguments = arguments
            self.annotations = annotations
        }
    }

    public struct Property: Hashable, Sendable {
        public enum Access: String, Sendable {
            case read, write, readwrite
        }

        /// What `PropertiesChanged` contains for it.
        public enum Change: String, Sendable {
            /// The new value.
            case value = "true"
            /// The name without the value.
            case invalidates
            /// Nothing, because it never changes.
            case const
            /// Nothing.
            case nothing = "false"
        }

        public var name: String
        public var type: Signature
        public var access: Access
        public var change: Change
        public var annotations: [String: String]

        public init(
            _ name: String, _ type: Signature, _ access: Access = .read, change: Change = .value,
            annotations: [String: String] = [:]
        ) {
            self.name = name
            self.type = type
            self.access = access
            self.change = change
            self.annotations = annotations
        }
    }
}

/// The interfaces of every object.
extension InterfaceDescription {
    static let peer = InterfaceDescription(
        .peer, methods: [Method("Ping"), Method("GetMachineId", out: ["machine_uuid": "s"])])

    static let introspectable = InterfaceDescription(
        .introspectable, methods: [Method("Introspect", out: ["xml_data": "s"])])

    static let properties = InterfaceDescription(
        .properties,
        methods: [
            Method("Get", in: ["interface_name": "s", "property_name": "s"], out: ["value": "v"]),
            Method("GetAll", in: ["interface_name": "s"], out: ["properties": "a{sv}"]),
            Method("Set", in: ["interface_name": "s", "property_name": "s", "value": "v"]),
        ],
        signals: [
            Signal(
                "PropertiesChanged",
                [
                    "interface_name": "s", "changed_properties": "a{sv}", "invalidated_properties": "as",
                ])
        ])
}
