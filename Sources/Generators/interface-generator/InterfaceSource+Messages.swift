extension InterfaceSource {
    /// What arrives at the object and what it answers.
    func requests(to source: inout SourceText) throws {
        try requestCases.write(to: &source) { source in
            source.documentation(
                "Throws `UnknownMethod` or `InvalidArgs`, to be answered to the caller.", of: "")
            source.block("public init(_ call: MethodCall) throws(DBusError)") { source in
                source.clauses(
                    "guard",
                    [
                        "call.interface == \(prefix)Interface.name",
                        "let method = \(prefix)Method(rawValue: call.member.rawValue)",
                    ], "")
                source.line("else { throw DBusError(.unknownMethod, \"There is no such method.\") }")
                source.line("try self.init(method, call.body())")
            }
            source.line()
            try source.block(
                "public init(", ["_ method: \(prefix)Method", "_ body: [Value]"], ") throws(DBusError)"
            ) { source in
                try requestCases.writeDecoding(to: &source, of: "method") { ".\($0.name)" }
            }
            source.line()
            source.block("public var method: \(prefix)Method") { source in
                requestCases.writeSwitch(to: &source) { ".\($0.name)" }
            }
        }
        source.line()
        try replyCases.write(to: &source) { source in
            replyCases.writeBody(to: &source, documentation: "The out arguments, encoded.")
        }
    }

    func signals(to source: inout SourceText) throws {
        try signalCases.write(to: &source) { source in
            source.documentation(
                "Nil where `message` is not a signal of this interface as this version knows it.", of: "")
            source.block("public init?(_ message: Message)") { source in
                source.clauses(
                    "guard",
                    [
                        "message.kind == .signal", "message.interface == \(prefix)Interface.name",
                        "let member = message.member", "let signal = try? Self(member, message.body)",
                    ], "")
                source.line("else { return nil }")
                source.line("self = signal")
            }
            source.line()
            try source.block("public init(_ member: MemberName, _ body: [Value]) throws(DBusError)") {
                source in
                try signalCases.writeDecoding(
                    to: &source, of: "member.rawValue",
                    otherwise: "throw DBusError(.notSupported, \"There is no signal \\(member).\")"
                ) { "\"\($0.member)\"" }
            }
            source.line()
            source.block("public var member: MemberName") { source in
                signalCases.writeSwitch(to: &source) { "\"\($0.member)\"" }
            }
            source.line()
            signalCases.writeBody(to: &source, documentation: "The arguments, encoded.")
        }
    }
}
