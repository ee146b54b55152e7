import Foundation
import FoundationXML

/// The members of org.example.Dictation in an introspection document, one on each line, for comparing the file with the
/// running daemon.
final class Members: NSObject, XMLParserDelegate {
    private(set) var lines: [String] = []
    private var isInside = false
    private var member = ""

    init(xml: String) throws {
        super.init()
        let parser = XMLParser(data: Data(xml.utf8))
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.propertyListReadCorrupt) }
        lines.sort()
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        if element == "interface" { isInside = attributes["name"] == "org.example.Dictation" }
        guard isInside else { return }
        // For the generator; Introspect does not contain them.
        let name = attributes["name"] ?? ""
        let ignored = ["Details", "Fields", "Keys", "Words"].map { "org.example.Dictation.\($0)" }
        if ignored.contains(where: { name.hasPrefix($0) }) {
            return
        }
        if ["method", "signal", "property"].contains(element) { member = attributes["name"] ?? "" }
        var attributes = attributes
        // The default direction of signals' arguments.
        if element == "arg", attributes["direction"] == nil { attributes["direction"] = "out" }
        let text = attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(
            separator: " ")
        lines.append("\(member) \(element) \(text)")
    }
}
