import ManualPage

/// The manual page of the interfaces, from their XML.
enum InterfaceManual {
    static let fileName = "org.example.Dictation.7"

    /// - Parameter documents: the service's own object first.
    static func page(of documents: [InterfaceDocument]) -> String {
        var page = ManualPage(
            "org.example.Dictation", section: 7, summary: "the D-Bus interface of offline voice dictation",
            origin: "dbus/*.xml")
        page.section("DESCRIPTION")
        for document in documents { write(document.documentation, of: "", to: &page) }
        for interface in documents.flatMap(\.interfaces) {
            page.section("INTERFACE \(interface.name)")
            write(interface.documentation, of: "", to: &page)
            for method in interface.methods {
                page.subsection("\(method.name)(\(list(method.inputs))) → (\(list(method.outputs)))")
                write(method.documentation, of: method.name, to: &page)
            }
            for signal in interface.signals {
                page.subsection("signal \(signal.name)(\(list(signal.inputs)))")
                write(signal.documentation, of: signal.name, to: &page)
            }
            for property in interface.properties {
                page.subsection("property \(property.name) \(property.signature)")
                write(property.documentation, of: property.name, to: &page)
            }
        }
        InterfaceExamples.write(to: &page)
        page.section("SEE ALSO")
        page.paragraph("dictation-cli(1), dictation.conf(5), dictationd(8), busctl(1)")
        return page.source
    }

    private static func list(_ arguments: [Interface.Argument]) -> String {
        arguments.map { "\($0.name) \($0.signature)" }.joined(separator: ", ")
    }

    private static func write(_ comment: String, of member: String, to page: inout ManualPage) {
        let parts = MemberComment(comment, member: member).parts
        var index = parts.startIndex
        while index < parts.endIndex {
            let run = parts[index...].prefix { $0.kind == parts[index].kind }
            switch parts[index].kind {
            case .paragraph: for part in run { page.paragraph(part.text) }
            case .argument: for part in run { page.item(part.term, part.text) }
            case .command: page.verbatim(run.map(\.text))
            case .entry:
                page.indented { page in
                    for part in run { page.item(part.term, part.text) }
                }
            }
            index = run.endIndex
        }
    }
}
