/// Writes the Swift files of one interface. `swift format` formats them.
struct InterfaceSource {
    let interface: Interface
    let path: String?
    /// The XML file's name.
    let origin: String
    /// The prefix of its types' names: `Dictation` for `org.example.Dictation`.
    let prefix: String

    init(_ interface: Interface, path: String?, origin: String) throws(GeneratorError) {
        self.interface = interface
        self.path = path
        self.origin = origin
        self.prefix = try SwiftNames.type(interface: interface.name)
    }

    /// Names of files and their texts.
    var files: [String: String] {
        var files = ["\(prefix)Interface.swift": file(names)]
        if !interface.methods.isEmpty || !interface.properties.isEmpty {
            files["\(prefix)Proxy.swift"] = file(proxy)
        }
        if !interface.methods.isEmpty { files["\(prefix)Request.swift"] = file(requests) }
        if !interface.signals.isEmpty { files["\(prefix)Signal.swift"] = file(signals) }
        return files
    }

    private func file(_ body: String) -> String {
        """
        // Written by packaging/generate from dbus/\(origin); change that instead.

        public import DBus
        \(body.contains("Descriptor]") || body.contains(": Descriptor") || body.contains("-> Descriptor")
            ? "public import EventLoop\n" : "")
        \(body)
        """
    }

    // MARK: - Names

    private var names: String {
        """
        /// Names and types of \(interface.name).
        public enum \(prefix)Interface {
            public static let name: InterfaceName = "\(interface.name)"
            \(path.map { "/// Of the object that has this interface.\npublic static let path: ObjectPath = \"\($0)\"\n" } ?? "")
            /// For dispatch, checks of types and `Introspect`.
            public static let description = InterfaceDescription(
                name,
                methods: [\(interface.methods.map(method).joined())],
                signals: [\(interface.signals.map { "\n.init(\"\($0.name)\", [\(pairs($0.inputs))])," }.joined())],
                properties: [\(interface.properties.map(property).joined())])
        }
        \(members("Method", "methods", interface.methods.map { ($0.name, "") }))
        \(members("Property", "properties", interface.properties.map { ($0.name, $0.documentation) }))
        """
    }

    private func method(_ method: Interface.Member) -> String {
        var parts = ["\"\(method.name)\""]
        if !method.inputs.isEmpty { parts.append("in: [\(pairs(method.inputs))]") }
        if !method.outputs.isEmpty { parts.append("out: [\(pairs(method.outputs))]") }
        let limits = Interface.Limit.allCases.compactMap { limit in method.limits[limit].map { (limit, $0) } }
        if !limits.isEmpty {
            let values = limits.map { "\($0.rawValue.lowercased()): \($1)" }
            // `Introspect` tells clients of the limits.
            let annotations = limits.map { "\"\($0.annotation)\": \"\($1)\"" }
            parts.append("limits: .init(\(values.joined(separator: ", ")))")
            parts.append("annotations: [\(annotations.joined(separator: ", "))]")
        }
        return "\n.init(\(parts.joined(separator: ", "))),"
    }

    private func pairs(_ arguments: [Interface.Argument]) -> String {
        arguments.isEmpty
            ? ":" : arguments.map { "\"\($0.name)\": \"\($0.signature)\"" }.joined(separator: ", ")
    }

    private func property(_ property: Interface.Property) -> String {
        "\n.init(\"\(property.name)\", \"\(property.signature)\", .\(property.access), change: .\(property.change)),"
    }

    private func members(_ kind: String, _ plural: String, _ names: [(String, documentation: String)])
        -> String
    {
        guard !names.isEmpty else { return "" }
        let cases = names.map { name, documentation in
            "\(DocumentationComment.text(documentation, member: name))case \(SwiftNames.escaped(name)) = \"\(name)\""
        }
        return """

            /// The \(plural) of \(interface.name) by name.
            public enum \(prefix)\(kind): String, CaseIterable, Sendable {
            \(cases.joined(separator: kind == "Property" ? "\n\n" : "\n"))
            }
            """
    }

    // MARK: - Requests, replies and signals

    /// An enumeration with one case for each member. The member's arguments are associated values.
    private func enumeration(
        _ kind: String, _ documentation: String, _ cases: [Interface.Member], _ body: String
    ) -> String {
        let declarations = cases.map { item in
            DocumentationComment.text(item.documentation, member: item.name)
                + "case \(SwiftNames.escaped(item.name))"
                + (item.inputs.isEmpty ? "" : "(\(item.inputs.declarations))")
        }
        return """

            /// \(documentation)
            public enum \(prefix)\(kind): Hashable, Sendable {
            \(declarations.joined(separator: "\n\n"))

            \(body)
            }

            """
    }

    private func encoding(_ cases: [Interface.Member], _ documentation: String) -> String {
        let branches = cases.map { item in
            let bindings = item.inputs.map { "let \($0.swiftName)" }.joined(separator: ", ")
            let pattern = item.inputs.isEmpty ? "" : "(\(bindings))"
            return "case .\(SwiftNames.escaped(item.name))\(pattern): \(item.inputs.encoded)"
        }
        return """
            /// \(documentation)
            public var body: [Value] {
            switch self {
            \(branches.joined(separator: "\n"))
            }
            }
            """
    }

    /// Statements that assign `self` from `body`.
    private func decoding(_ item: Interface.Member) -> String {
        guard !item.inputs.isEmpty else { return "self = .\(SwiftNames.escaped(item.name))" }
        let names = item.inputs.map(\.swiftName)
        let labelled = names.map { "\($0): \($0)" }.joined(separator: ", ")
        return """
            let \(names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))") = \(item.inputs.decoded(from: "body"))
            self = .\(SwiftNames.escaped(item.name))(\(labelled))
            """
    }

    private var requests: String {
        let decoded = interface.methods.map { "case .\(SwiftNames.escaped($0.name)):\n\(decoding($0))" }
        let methods = interface.methods.map { SwiftNames.escaped($0.name) }.map { "case .\($0): .\($0)" }
        let request = enumeration(
            "Request", "A call of a method of \(interface.name), with checked arguments.",
            interface.methods.map {
                .init(name: $0.name, documentation: $0.documentation, inputs: $0.inputs)
            },
            """
            /// Throws `UnknownMethod` or `InvalidArgs`, to be sent to the caller.
            public init(_ call: MethodCall) throws(DBusError) {
            guard call.interface == \(prefix)Interface.name,
            let method = \(prefix)Method(rawValue: call.member.rawValue)
            else { throw DBusError(.unknownMethod, "There is no such method.") }
            try self.init(method, call.body())
            }

            public init(_ method: \(prefix)Method, _ body: [Value]) throws(DBusError) {
            switch method {
            \(decoded.joined(separator: "\n"))
            }
            }

            public var method: \(prefix)Method {
            switch self {
            \(methods.joined(separator: "\n"))
            }
            }
            """)
        var replies = interface.methods.filter { !$0.outputs.isEmpty }.map {
            Interface.Member(name: $0.name, documentation: "", inputs: $0.outputs)
        }
        if replies.count < interface.methods.count {
            replies.append(
                .init(name: "Done", documentation: "The reply of each method that returns nothing."))
        }
        return request
            + enumeration(
                "Reply", "A reply of a method of \(interface.name).", replies,
                encoding(replies, "The out arguments, encoded."))
    }

    private var signals: String {
        let decoded = interface.signals.map { "case \"\($0.name)\":\n\(decoding($0))" }
        let members = interface.signals.map { "case .\(SwiftNames.escaped($0.name)): \"\($0.name)\"" }
        return enumeration(
            "Signal", "A signal of \(interface.name).", interface.signals,
            """
            /// Nil if `message` is not a signal of this interface, or has other arguments.
            public init?(_ message: Message) {
            guard message.kind == .signal, message.interface == \(prefix)Interface.name,
            let member = message.member, let signal = try? Self(member, message.body)
            else { return nil }
            self = signal
            }

            public init(_ member: MemberName, _ body: [Value]) throws(DBusError) {
            switch member.rawValue {
            \(decoded.joined(separator: "\n"))
            default: throw DBusError(.notSupported, "There is no signal \\(member).")
            }
            }

            public var member: MemberName {
            switch self {
            \(members.joined(separator: "\n"))
            }
            }

            \(encoding(interface.signals, "The arguments, encoded."))
            """)
    }

    // MARK: - Proxy

    private var proxy: String {
        let getter = """
            /// The present value of a property.
            public nonisolated(nonsending) func value(of property: \(prefix)Property) async throws -> Value {
            let reply = try await connection.call(
            destination: destination, path: path, interface: .properties, member: "Get",
            [Value(\(prefix)Interface.name.rawValue), Value(property.rawValue)])
            return try reply.decoded(as: Value.self)
            }
            """
        let transport = """

            private nonisolated(nonsending) func call(
            _ method: \(prefix)Method, _ body: [Value], timeout: Duration?
            ) async throws -> [Value] {
            try await connection.call(
            destination: destination, path: path, interface: \(prefix)Interface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
            }
            """
        return """
            /// Calls the methods of \(interface.name) over a connection. Calls made on the event
            /// loop's actor are sent in that order.
            public struct \(prefix)Proxy: Sendable {
            public let connection: MessageChannel
            /// A well-known or unique name, or the other end of a connection without a bus.
            public let destination: BusName
            public let path: ObjectPath
            /// Of every call.
            public let flags: Message.Flags
            /// The default time that calls wait for their reply. With nil they wait until the bus is gone.
            public static let usualTimeout: Duration = .seconds(25)

            public init(
            connection: MessageChannel, destination: BusName,
            path: ObjectPath\(path == nil ? "" : " = \(prefix)Interface.path"), flags: Message.Flags = []
            ) {
            self.connection = connection
            self.destination = destination
            self.path = path
            self.flags = flags
            }

            \(interface.methods.map(call).joined(separator: "\n\n"))

            \(interface.properties.isEmpty ? "" : getter)
            \(interface.methods.isEmpty ? "" : transport)
            }
            """
    }

    private func call(_ method: Interface.Member) -> String {
        let labels = method.inputs.map { "\($0.swiftName):" }.joined()
        let parameters = (method.inputs.map(\.declaration) + ["timeout: Duration? = Self.usualTimeout"])
        let call =
            "try await call(.\(SwiftNames.escaped(method.name)), \(method.inputs.encoded), timeout: timeout)"
        let result =
            switch method.outputs.count {
            case 0: ""
            case 1: " -> \(method.outputs[0].swiftType)"
            default: " -> (\(method.outputs.declarations))"
            }
        return """
            /// See ``\(prefix)Request/\(SwiftNames.member(method.name))\(labels.isEmpty ? "" : "(\(labels))")``.
            public nonisolated(nonsending) func \(SwiftNames.escaped(method.name))(
            \(parameters.joined(separator: ", "))
            ) async throws\(result) {
            \(method.outputs.isEmpty ? "_ = \(call)" : "let reply = \(call)\nreturn \(method.outputs.decoded(from: "reply"))")
            }
            """
    }
}
