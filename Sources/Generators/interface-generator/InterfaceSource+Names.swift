extension InterfaceSource {
    /// The interface's name, path and description, and its members as enumerations.
    func names(to source: inout SourceText) {
        source.documentation("Names and types of \(interface.name).", of: "")
        source.block("public enum \(prefix)Interface") { source in
            source.line("public static let name: InterfaceName = \"\(interface.name)\"")
            if let path {
                source.documentation("Of the object that has this interface.", of: "")
                source.line("public static let path: ObjectPath = \"\(path)\"")
            }
            source.line()
            source.documentation("For dispatch, checks of types and `Introspect`.", of: "")
            description(to: &source)
        }
        members("Method", interface.methods.map(\.name), to: &source)
        properties(to: &source)
    }

    private func description(to source: inout SourceText) {
        source.line("public static let description = InterfaceDescription(")
        source.indented { source in
            source.line("name,")
            collection("methods", interface.methods, ",", to: &source) { method, comma, source in
                let groups = [
                    ("in: [", pairs(of: method.inputs)), ("out: [", pairs(of: method.outputs)),
                    ("limits: .init(", limits(of: method)), ("annotations: [", annotations(of: method)),
                ]
                member(named: method.name, groups, comma, to: &source)
            }
            collection("signals", interface.signals, ",", to: &source) { signal, comma, source in
                member(named: signal.name, [("[", pairs(of: signal.arguments))], comma, to: &source)
            }
            collection("properties", interface.properties, ")", to: &source) { property, comma, source in
                source.list(
                    ".init(",
                    [
                        "\"\(property.name)\"", "\"\(property.type.signature)\"", ".\(property.access)",
                        "change: .\(property.change)",
                    ], ")\(comma)")
            }
        }
    }

    private func collection<Element>(
        _ label: String, _ elements: [Element], _ end: String, to source: inout SourceText,
        _ write: (Element, _ comma: String, inout SourceText) -> Void
    ) {
        guard !elements.isEmpty else { return source.line("\(label): []\(end)") }
        source.line("\(label): [")
        source.indented { source in
            // The formatter wants none behind a lone element.
            let comma = elements.count > 1 ? "," : ""
            for element in elements { write(element, comma, &source) }
        }
        source.line("]\(end)")
    }

    private func pairs(of arguments: [Interface.Argument]) -> [String] {
        arguments.map { "\"\($0.name)\": \"\($0.type.signature)\"" }
    }

    /// In the order of the parameters of `MessageLimits`.
    private func limits(of method: Interface.Method) -> [String] {
        Interface.Limit.allCases.compactMap { limit in
            method.limits[limit].map { "\(limit.parameter): \(Self.grouped($0))" }
        }
    }

    /// As the formatter wants it: `65_536`.
    private static func grouped(_ number: Int) -> String {
        let digits = String(number)
        return digits.enumerated().reduce("") { text, digit in
            let remaining = digits.count - digit.offset
            return text + (digit.offset > 0 && remaining.isMultiple(of: 3) ? "_" : "") + String(digit.element)
        }
    }

    /// `Introspect` tells clients of the limits.
    private func annotations(of method: Interface.Method) -> [String] {
        Interface.Limit.allCases.compactMap { limit in
            method.limits[limit].map { "\"\(limit.annotation)\": \"\($0)\"" }
        }
    }

    /// - Parameter groups: the arguments of the initializer: how each begins, and its elements.
    private func member(
        named name: String, _ groups: [(start: String, elements: [String])], _ comma: String,
        to source: inout SourceText
    ) {
        let groups = groups.filter { !$0.elements.isEmpty }.map { group in
            (group.start, group.elements, end: group.start.hasSuffix("[") ? "]" : ")")
        }
        let lists = groups.map { ", \($0.0)\($0.1.joined(separator: ", "))\($0.end)" }
        let single = ".init(\"\(name)\"\(lists.joined()))\(comma)"
        guard !source.fits(single) else { return source.line(single) }
        source.line(".init(")
        source.indented { source in
            source.line("\"\(name)\",")
            for (index, group) in groups.enumerated() {
                let end = index < groups.count - 1 ? "," : ")\(comma)"
                source.list(group.0, group.1, group.end + end, isCollection: group.end == "]")
            }
        }
    }

    private func members(_ kind: String, _ names: [String], to source: inout SourceText) {
        guard !names.isEmpty else { return }
        source.line()
        source.documentation("The methods of \(interface.name) by name.", of: "")
        source.block("public enum \(prefix)\(kind): String, CaseIterable, Sendable") { source in
            for name in names { source.line("case \(SwiftNames.escaped(name)) = \"\(name)\"") }
        }
    }

    private func properties(to source: inout SourceText) {
        guard !interface.properties.isEmpty else { return }
        source.line()
        source.documentation("The properties of \(interface.name) by name.", of: "")
        source.block("public enum \(prefix)Property: String, CaseIterable, Sendable") { source in
            for (index, property) in interface.properties.enumerated() {
                if index > 0, !property.documentation.isEmpty { source.line() }
                source.documentation(property.documentation, of: property.name)
                source.line("case \(SwiftNames.escaped(property.name)) = \"\(property.name)\"")
            }
        }
    }
}
