import Foundation
import FoundationXML

/// Reads the introspection format of the D-Bus specification, and the comment before each member.
enum InterfaceReader {
    static func read(_ data: Data) throws -> InterfaceDocument {
        // XMLDocument accepts a truncated document.
        guard
            String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines).hasSuffix(
                "</node>")
        else { throw GeneratorError("the document is incomplete: </node> is missing at its end") }
        let xml = try XMLDocument(data: data)
        guard let node = xml.rootElement(), node.name == "node" else {
            throw GeneratorError("the document's root is not <node>")
        }
        return InterfaceDocument(
            path: node.attribute(forName: "name")?.stringValue, documentation: comment(before: node),
            interfaces: try elements(of: node, ["interface"]).map(interface))
    }

    private static func interface(_ element: XMLElement) throws(GeneratorError) -> Interface {
        var interface = Interface(
            name: try value("name", of: element), documentation: comment(before: element))
        for child in try elements(of: element, ["method", "signal", "property"]) {
            switch child.name {
            case "method": interface.methods.append(try member(child))
            case "signal": interface.signals.append(try member(child))
            default: interface.properties.append(try property(child))
            }
        }
        return interface
    }

    private static func member(_ element: XMLElement) throws(GeneratorError) -> Interface.Member {
        let isMethod = element.name == "method"
        var member = Interface.Member(
            name: try value("name", of: element), documentation: comment(before: element))
        for child in try elements(of: element, ["arg", "annotation"]) {
            if child.name == "annotation" {
                let name = try value("name", of: child)
                guard isMethod, let limit = Interface.Limit.allCases.first(where: { $0.annotation == name }),
                    let number = Int(try value("value", of: child)), number > 0
                else { throw error("an annotation here is a limit above 0", at: child) }
                member.limits[limit] = number
                continue
            }
            let direction = child.attribute(forName: "direction")?.stringValue ?? (isMethod ? "in" : "out")
            switch (isMethod, direction) {
            case (true, "in"): member.inputs.append(try argument(child, isInput: true))
            case (true, "out"): member.outputs.append(try argument(child, isInput: false))
            case (false, "out"): member.inputs.append(try argument(child, isInput: false))
            default: throw error("the direction is wrong", at: child)
            }
        }
        return member
    }

    private static func argument(_ element: XMLElement, isInput: Bool) throws(GeneratorError)
        -> Interface.Argument
    {
        let signature = try value("type", of: element)
        return Interface.Argument(
            name: try value("name", of: element), signature: signature,
            swiftType: try SwiftType.named(by: signature, isInput: isInput),
            vocabulary: try elements(of: element, ["annotation"]).map { (note) throws(GeneratorError) in
                try vocabulary(note)
            })
    }

    private static func property(_ element: XMLElement) throws(GeneratorError) -> Interface.Property {
        var property = Interface.Property(
            name: try value("name", of: element), documentation: comment(before: element),
            signature: try value("type", of: element), access: try value("access", of: element))
        guard ["read", "write", "readwrite"].contains(property.access) else {
            throw error("a property's access is read, write or readwrite", at: element)
        }
        for note in try elements(of: element, ["annotation"]) {
            if try value("name", of: note) == "org.freedesktop.DBus.Property.EmitsChangedSignal" {
                let changes = [
                    "true": "value", "invalidates": "invalidates", "const": "const", "false": "nothing",
                ]
                guard let change = changes[try value("value", of: note)] else {
                    throw error("EmitsChangedSignal is true, invalidates, const or false", at: note)
                }
                property.change = change
            } else {
                property.vocabulary.append(try vocabulary(note))
            }
        }
        return property
    }

    private static func vocabulary(_ element: XMLElement) throws(GeneratorError) -> Interface.VocabularyNote {
        let name = try value("name", of: element)
        let type = try value("value", of: element)
        for kind in Interface.VocabularyNote.Kind.allCases {
            if name == kind.rawValue { return .init(kind: kind, type: type) }
            if name.hasPrefix(kind.rawValue + ".") {
                return .init(kind: kind, key: String(name.dropFirst(kind.rawValue.count + 1)), type: type)
            }
        }
        throw error("unknown annotation “\(name)”", at: element)
    }

    // MARK: - XML

    private static func elements(of element: XMLElement, _ names: Set<String>) throws(GeneratorError)
        -> [XMLElement]
    {
        let children = (element.children ?? []).compactMap { $0 as? XMLElement }
        for child in children where !names.contains(child.name ?? "") {
            throw error("unexpected element <\(child.name ?? "")>", at: child)
        }
        return children
    }

    private static func value(_ attribute: String, of element: XMLElement) throws(GeneratorError) -> String {
        guard let value = element.attribute(forName: attribute)?.stringValue, !value.isEmpty else {
            throw error("the attribute “\(attribute)” is missing", at: element)
        }
        return value
    }

    private static func comment(before element: XMLElement) -> String {
        var node = element.previousSibling
        while node?.kind == .text { node = node?.previousSibling }
        return node?.kind == .comment ? node?.stringValue ?? "" : ""
    }

    private static func error(_ message: String, at element: XMLElement) -> GeneratorError {
        GeneratorError("\(element.xPath ?? ""): \(message)")
    }
}
