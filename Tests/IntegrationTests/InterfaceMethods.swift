import Foundation
import FoundationXML

/// The methods of the service's own object in `dbus/org.example.Dictation.xml`.
final class InterfaceMethods: NSObject, XMLParserDelegate {
    struct Method: Hashable, CustomStringConvertible, Sendable {
        var interface: String
        var name: String
        /// Of its arguments.
        var signature: String

        /// Without the common prefix of all interfaces: `Permissions.Set`.
        var description: String {
            let prefix = "org.example.Dictation"
            let rest = interface.hasPrefix(prefix) ? interface.dropFirst(prefix.count + 1) : interface[...]
            return rest.isEmpty ? name : "\(rest).\(name)"
        }
    }

    private(set) var methods: [Method] = []
    private var interface = ""

    override init() {
        super.init()
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "dbus/org.example.Dictation.xml")
        let parser = (try? Data(contentsOf: file)).map { XMLParser(data: $0) }
        parser?.delegate = self
        if parser?.parse() != true { methods = [] }
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        switch element {
        case "interface": interface = attributes["name"] ?? ""
        case "method":
            methods.append(Method(interface: interface, name: attributes["name"] ?? "", signature: ""))
        case "arg" where attributes["direction"] == "in":
            methods[methods.count - 1].signature += attributes["type"] ?? ""
        default: break
        }
    }
}
