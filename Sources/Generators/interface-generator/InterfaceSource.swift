/// Writes the Swift files of one interface.
struct InterfaceSource {
    let interface: Interface
    let path: String?
    /// The XML file, without its folder.
    let origin: String
    /// `Dictation` of `org.example.Dictation`: what the names of its types begin with.
    let prefix: String

    init(_ interface: Interface, path: String?, origin: String) throws(GeneratorError) {
        self.interface = interface
        self.path = path
        self.origin = origin
        self.prefix = try SwiftNames.type(interface: interface.name)
    }

    /// File names and their texts.
    func files() throws -> [String: String] {
        var files = ["\(prefix)Interface.swift": try file(namesDescriptors: false, names)]
        if !interface.methods.isEmpty || !interface.properties.isEmpty {
            files["\(prefix)Proxy.swift"] = try file(proxy)
        }
        if !interface.methods.isEmpty {
            files["\(prefix)Request.swift"] = try file(requests)
        }
        if !interface.signals.isEmpty {
            files["\(prefix)Signal.swift"] = try file(signals)
        }
        return files
    }

    private func file(
        namesDescriptors: Bool = true, _ write: (inout SourceText) throws -> Void
    ) throws -> String {
        var source = SourceText()
        source.line("// Written by packaging/generate from dbus/\(origin); change that instead.")
        source.line()
        source.line("public import DBus")
        if namesDescriptors, interface.hasDescriptors { source.line("public import EventLoop") }
        source.line()
        try write(&source)
        return source.text
    }

    var requestCases: CaseEnumeration {
        CaseEnumeration(
            name: "\(prefix)Request",
            documentation: "A call of a method of \(interface.name), its arguments checked.",
            conformances: "Hashable, Sendable",
            cases: interface.methods.map {
                .init(member: $0.name, documentation: $0.documentation, arguments: $0.inputs)
            })
    }

    /// Methods that return nothing share the case `done`.
    var replyCases: CaseEnumeration {
        var cases = interface.methods.filter { !$0.outputs.isEmpty }.map {
            CaseEnumeration.Case(member: $0.name, documentation: "", arguments: $0.outputs)
        }
        if cases.count < interface.methods.count {
            cases.append(
                .init(member: "Done", documentation: "Of each method that returns nothing.", arguments: []))
        }
        return CaseEnumeration(
            name: "\(prefix)Reply", documentation: "What the methods of \(interface.name) return.",
            conformances: "Hashable, Sendable", cases: cases)
    }

    var signalCases: CaseEnumeration {
        CaseEnumeration(
            name: "\(prefix)Signal", documentation: "A signal of \(interface.name).",
            conformances: "Hashable, Sendable",
            cases: interface.signals.map {
                .init(member: $0.name, documentation: $0.documentation, arguments: $0.arguments)
            })
    }
}
