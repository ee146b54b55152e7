import Foundation
import FoundationXML

/// Reads the introspection format of the D-Bus specification, and the comment before each member.
final class InterfaceReader: NSObject, XMLParserDelegate {
    private var document = InterfaceDocument()
    private var interface: Interface?
    private var member: Member?
    /// The argument that is open, and its direction.
    private var argument: (Interface.Argument, String?)?
    private var comment = ""
    /// Of the element that is open.
    private var depth = 0
    private var fault: GeneratorError?

    private enum Member {
        case method(Interface.Method)
        case signal(Interface.Signal)
        case property(Interface.Property)
    }

    static func read(_ data: Data) throws -> InterfaceDocument {
        let reader = InterfaceReader()
        let parser = XMLParser(data: data)
        parser.delegate = reader
        // The parser takes a document that breaks off for one that ends.
        guard parser.parse(), reader.depth == 0 else {
            throw reader.fault
                ?? GeneratorError(
                    "line \(parser.lineNumber): \(parser.parserError.map { "\($0)" } ?? "not well-formed")")
        }
        return reader.document
    }

    func parser(_ parser: XMLParser, foundComment comment: String) {
        self.comment = comment
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        depth += 1
        do {
            try open(element, attributes)
        } catch {
            fault = GeneratorError("line \(parser.lineNumber): \(error)")
            parser.abortParsing()
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
        depth -= 1
        if element == "arg" { return addArgument(parser) }
        switch (element, member) {
        case ("method", .method(let method)): interface?.methods.append(method)
        case ("signal", .signal(let signal)): interface?.signals.append(signal)
        case ("property", .property(let property)): interface?.properties.append(property)
        case ("interface", _):
            if let interface { document.interfaces.append(interface) }
            interface = nil
        default: return
        }
        member = nil
    }

    private func open(_ element: String, _ attributes: [String: String]) throws(GeneratorError) {
        func required(_ attribute: String) throws(GeneratorError) -> String {
            guard let value = attributes[attribute], !value.isEmpty else {
                throw GeneratorError("<\(element)> lacks the attribute “\(attribute)”")
            }
            return value
        }

        let documentation = comment
        comment = ""
        switch element {
        case "node":
            document.path = document.path ?? attributes["name"]
            document.documentation = documentation
        case "interface":
            interface = Interface(name: try required("name"), documentation: documentation)
        case "method":
            member = .method(.init(name: try required("name"), documentation: documentation))
        case "signal":
            member = .signal(.init(name: try required("name"), documentation: documentation))
        case "property":
            guard let access = Interface.Access(rawValue: try required("access")) else {
                throw GeneratorError("a property's access is read, write or readwrite")
            }
            member = .property(
                .init(
                    name: try required("name"), documentation: documentation,
                    type: try WireType(signature: required("type")), access: access))
        case "arg":
            let name = try required("name")
            let type = try WireType(signature: required("type"))
            argument = (Interface.Argument(name: name, type: type), attributes["direction"])
        case "annotation":
            try annotate(try required("name"), try required("value"))
        default:
            throw GeneratorError("unknown element <\(element)>")
        }
    }

    private func addArgument(_ parser: XMLParser) {
        guard let (argument, direction) = argument else { return }
        self.argument = nil
        do {
            try add(argument, direction: direction)
        } catch {
            fault = GeneratorError("line \(parser.lineNumber): \(error)")
            parser.abortParsing()
        }
    }

    private func add(_ argument: Interface.Argument, direction: String?) throws(GeneratorError) {
        switch (member, direction) {
        case (.method(var method), nil), (.method(var method), "in"):
            var argument = argument
            argument.isInput = true
            method.inputs.append(argument)
            member = .method(method)
        case (.method(var method), "out"):
            method.outputs.append(argument)
            member = .method(method)
        case (.signal(var signal), nil), (.signal(var signal), "out"):
            signal.arguments.append(argument)
            member = .signal(signal)
        default:
            throw GeneratorError("argument “\(argument.name)” is out of place")
        }
    }

    private func annotate(_ name: String, _ value: String) throws(GeneratorError) {
        let note = Interface.VocabularyNote(annotation: name, type: value)
        if let (open, direction) = argument {
            var argument = open
            guard let note else { throw GeneratorError("unknown annotation “\(name)” of an argument") }
            argument.vocabulary.append(note)
            self.argument = (argument, direction)
            return
        }
        switch member {
        case .method(var method):
            guard let limit = Interface.Limit(annotation: name) else { break }
            guard let number = Int(value), number > 0 else {
                throw GeneratorError("\(name) is a number above 0")
            }
            method.limits[limit] = number
            member = .method(method)
            return
        case .property(var property) where name == "org.freedesktop.DBus.Property.EmitsChangedSignal":
            guard let change = Interface.Change(rawValue: value) else {
                throw GeneratorError("EmitsChangedSignal is true, invalidates, const or false")
            }
            property.change = change
            member = .property(property)
            return
        case .property(var property):
            guard let note else { break }
            property.vocabulary.append(note)
            member = .property(property)
            return
        default: break
        }
        throw GeneratorError("unknown annotation “\(name)”")
    }
}
