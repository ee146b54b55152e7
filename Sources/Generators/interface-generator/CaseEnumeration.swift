/// An enumeration with one case per member of an interface and the member's arguments as associated values: the
/// form of requests, replies and signals alike.
struct CaseEnumeration {
    struct Case {
        var member: String
        var documentation: String
        var arguments: [Interface.Argument]

        var name: String { SwiftNames.escaped(member) }
    }

    var name: String
    var documentation: String
    var conformances: String
    var cases: [Case]

    func write(to source: inout SourceText, _ rest: (inout SourceText) throws -> Void) throws {
        source.documentation(documentation, of: name)
        try source.block("public enum \(name): \(conformances)") { source in
            for (index, item) in cases.enumerated() {
                if index > 0, !item.documentation.isEmpty { source.line() }
                source.documentation(item.documentation, of: item.member)
                if item.arguments.isEmpty {
                    source.line("case \(item.name)")
                } else {
                    source.list("case \(item.name)(", try item.arguments.declarations(), ")")
                }
            }
            source.line()
            try rest(&source)
        }
    }

    /// `public var body: [Value]`, the arguments in the order of the interface.
    func writeBody(to source: inout SourceText, documentation: String) {
        source.documentation(documentation, of: "body")
        source.block("public var body: [Value]") { source in
            source.line("switch self {")
            for item in cases where !item.arguments.isEmpty {
                source.list("case .\(item.name)(", item.arguments.bindings, "):")
                source.indented {
                    $0.list("[", item.arguments.names.map { "Value(\($0))" }, "]", isCollection: true)
                }
            }
            let empty = cases.filter(\.arguments.isEmpty).map { ".\($0.name)" }
            if !empty.isEmpty {
                source.clauses("case", empty, ":")
                source.indented { $0.line("[]") }
            }
            source.line("}")
        }
    }

    /// `switch` over a member's name, which is a case of `pattern`, that assigns `self` from `body`.
    func writeDecoding(
        to source: inout SourceText, of subject: String, otherwise: String? = nil, pattern: (Case) -> String
    ) throws {
        source.line("switch \(subject) {")
        for item in cases {
            source.line("case \(pattern(item)):")
            try source.indented { source in
                guard !item.arguments.isEmpty else { return source.line("self = .\(item.name)") }
                let names = item.arguments.names
                let single = names.count == 1
                source.list(
                    "let \(single ? names[0] : "(\(names.joined(separator: ", ")))") = try body.decoded(",
                    try item.arguments.types(), ")")
                source.list(
                    "self = .\(item.name)(", item.arguments.labelled { SwiftNames.escaped($0.name) }, ")")
            }
        }
        if let otherwise {
            source.line("default:")
            source.indented { $0.line(otherwise) }
        }
        source.line("}")
    }

    /// `switch self` with a value for each case.
    func writeSwitch(to source: inout SourceText, value: (Case) -> String) {
        source.line("switch self {")
        for item in cases { source.line("case .\(item.name): \(value(item))") }
        source.line("}")
    }
}
