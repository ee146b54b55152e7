import Foundation
import FoundationXML

/// The rules of `dbus/org.example.Dictation.conf`.
final class BusPolicy: NSObject, XMLParserDelegate {
    struct Rule: Hashable {
        /// `default`, or the name of the user it is for.
        var context: String
        var isAllowed: Bool
        var attributes: [String: String]

        var call: InterfaceMethod? {
            guard let interface = attributes["send_interface"], let member = attributes["send_member"] else {
                return nil
            }
            return InterfaceMethod(
                interface: interface, member: member, descriptors: attributes["max_fds"].flatMap(Int.init))
        }
    }

    private(set) var rules: [Rule] = []
    private var context = ""

    init(_ text: String) throws {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.propertyListReadCorrupt) }
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        switch element {
        case "policy": context = attributes["context"] ?? attributes["user"] ?? ""
        case "allow", "deny":
            rules.append(Rule(context: context, isAllowed: element == "allow", attributes: attributes))
        default: break
        }
    }
}

struct InterfaceMethod: Hashable, CustomStringConvertible {
    var interface: String
    var member: String
    /// The limit for a caller; nil if there is no rule.
    var descriptors: Int?

    var description: String {
        "\(interface).\(member), descriptors: \(descriptors.map(String.init) ?? "any")"
    }
}

/// The methods in `dbus/*.xml`.
final class InterfaceMethods: NSObject, XMLParserDelegate {
    /// Of the service's own object.
    private(set) var served: Set<InterfaceMethod> = []
    /// Of agents' objects, which the service calls: their documents have no path.
    private(set) var called: Set<InterfaceMethod> = []
    /// Interfaces that are on the session's bus only.
    private static let sessionOnly = ["org.example.Dictation.Fields.xml"]
    private var isServed = false
    private var interface = ""
    private var method: InterfaceMethod?
    private var comment = ""

    override init() {
        super.init()
    }

    convenience init(folder: URL) throws {
        self.init()
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "xml" && !Self.sessionOnly.contains(file.lastPathComponent) {
            let parser = XMLParser(data: try Data(contentsOf: file))
            parser.delegate = self
            isServed = false
            guard parser.parse() else { throw parser.parserError ?? CocoaError(.propertyListReadCorrupt) }
        }
    }

    func parser(_ parser: XMLParser, foundComment comment: String) {
        self.comment = comment
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        switch element {
        case "node": isServed = attributes["name"] != nil
        case "interface": interface = attributes["name"] ?? ""
        case "method":
            // An option that is a descriptor is told in the comment, as "name h".
            let options = comment.components(separatedBy: "\n").count {
                $0.contains(/^ +[a-z-]+ h( |$)/)
            }
            method = InterfaceMethod(
                interface: interface, member: attributes["name"] ?? "", descriptors: options)
        case "arg" where attributes["direction"] == "in" && attributes["type"] == "h":
            method?.descriptors? += 1
        default: break
        }
        comment = ""
    }

    func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard element == "method", let method else { return }
        if isServed { served.insert(method) } else { called.insert(method) }
        self.method = nil
    }
}
