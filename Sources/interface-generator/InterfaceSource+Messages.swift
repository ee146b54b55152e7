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
                        "let method = \(prefix)Method(rawValue: call.member)",
                    ], "")
                source.line("else { throw .unknownMethod(call.member) }")
                source.line("try self.init(method, call.body)")
            }
            source.line()
            source.block(
                "public init(", ["_ method: \(prefix)Method", "_ body: [Value]"], ") throws(DBusError)"
            ) { source in
                source.line("var arguments = ArgumentReader(body)")
                requestCases.writeDecoding(to: &source, of: "method") { ".\($0.name)" }
                source.line("try arguments.finish()")
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
                source.line("guard message.interface == \(prefix)Interface.name else { return nil }")
                source.line("try? self.init(member: message.member, message.body)")
            }
            source.line()
            source.block("public init(member: String, _ body: [Value]) throws(DBusError)") { source in
                source.line("var arguments = ArgumentReader(body)")
                signalCases.writeDecoding(
                    to: &source, of: "member", otherwise: "throw .unknownSignal(member)"
                ) { "\"\($0.member)\"" }
                source.line("try arguments.finish()")
            }
            source.line()
            source.block("public var member: String") { source in
                signalCases.writeSwitch(to: &source) { "\"\($0.member)\"" }
            }
            source.line()
            signalCases.writeBody(to: &source, documentation: "The arguments, encoded.")
        }
    }
}
