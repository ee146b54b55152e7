extension InterfaceSource {
    /// Typed calls over a connection.
    func proxy(to source: inout SourceText) throws {
        source.documentation(
            "Calls the methods of \(interface.name) over a connection. Calls that are made on the\n"
                + "event loop's actor leave in that order.", of: "")
        try source.block("public struct \(prefix)Proxy: Sendable") { source in
            source.line("public let connection: Connection")
            source.documentation("A well-known or unique name.", of: "")
            source.line("public let destination: BusName")
            source.line("public let path: ObjectPath")
            source.documentation("Of every call.", of: "")
            source.line("public let flags: Message.Flags")
            source.documentation(
                "How long calls wait for their reply; with nil, as long as the bus lives.", of: "")
            source.line("public static let usualTimeout: Duration = .seconds(25)")
            source.line()
            let defaultPath = path == nil ? "" : " = \(prefix)Interface.path"
            source.block(
                "public init(",
                [
                    "connection: Connection", "destination: BusName", "path: ObjectPath\(defaultPath)",
                    "flags: Message.Flags = []",
                ], ")"
            ) { source in
                source.line("self.connection = connection")
                source.line("self.destination = destination")
                source.line("self.path = path")
                source.line("self.flags = flags")
            }
            for method in interface.methods {
                source.line()
                try call(of: method, to: &source)
            }
            if !interface.properties.isEmpty {
                source.line()
                getter(to: &source)
            }
            if !interface.methods.isEmpty {
                source.line()
                transport(to: &source)
            }
        }
    }

    private func call(of method: Interface.Method, to source: inout SourceText) throws {
        let labels = method.inputs.names.map { "\($0):" }.joined()
        let described = SwiftNames.member(method.name) + (labels.isEmpty ? "" : "(\(labels))")
        source.documentation("See ``\(prefix)Request/\(described)``.", of: "")
        var result = ""
        switch method.outputs.count {
        case 0: break
        case 1: result = " -> \(try method.outputs[0].swiftType())"
        default: result = " -> (\(try method.outputs.declarations().joined(separator: ", ")))"
        }
        try source.block(
            "public nonisolated(nonsending) func \(SwiftNames.escaped(method.name))(",
            try method.inputs.declarations() + ["timeout: Duration? = Self.usualTimeout"],
            ") async throws\(result)"
        ) { source in
            var body = "[\(method.inputs.names.map { "Value(\($0))" }.joined(separator: ", "))]"
            if method.inputs.count > 1 {
                source.line("let body = \(body)")
                body = "body"
            }
            let call = "try await call(.\(SwiftNames.escaped(method.name)), \(body), timeout: timeout)"
            if method.outputs.isEmpty {
                source.line("_ = \(call)")
            } else {
                source.line("let reply = \(call)")
                source.list("return try reply.decoded(", try method.outputs.types(), ")")
            }
        }
    }

    private func getter(to source: inout SourceText) {
        source.documentation("The present value of a property.", of: "")
        source.block(
            "public nonisolated(nonsending) func value(of property: \(prefix)Property) async throws -> Value"
        ) { source in
            source.line("let reply = try await connection.call(")
            source.indented { source in
                source.line("destination: destination, path: path, interface: .properties, member: \"Get\",")
                source.line("[Value(\(prefix)Interface.name.rawValue), Value(property.rawValue)])")
            }
            source.line("return try reply.decoded(as: Value.self)")
        }
    }

    private func transport(to source: inout SourceText) {
        source.block(
            "private nonisolated(nonsending) func call(",
            ["_ method: \(prefix)Method", "_ body: [Value]", "timeout: Duration?"],
            ") async throws -> [Value]"
        ) { source in
            source.line("try await connection.call(")
            source.indented { source in
                source.line("destination: destination, path: path, interface: \(prefix)Interface.name,")
                source.line(
                    "member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)"
                )
            }
        }
    }
}
