/// Writes the XML for `Introspect`.
enum Introspection {
    static let emitsChangedSignal = "org.freedesktop.DBus.Property.EmitsChangedSignal"

    /// - Parameter children: names of the objects below, relative to this one.
    static func xml(_ interfaces: [InterfaceDescription], children: [String]) -> String {
        var lines = [
            #"<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN""#,
            #" "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">"#,
            "<node>",
        ]
        lines += interfaces.flatMap(\.xml)
        lines += children.map { #"  <node name="\#($0)"/>"# }
        lines.append("</node>\n")
        return lines.joined(separator: "\n")
    }
}

extension InterfaceDescription {
    /// The interface as the lines of an `interface` element.
    public var xml: [String] {
        let members =
            methods.flatMap { method in
                element(
                    "method", ["name": method.name.rawValue],
                    method.input.xml(direction: "in") + method.output.xml(direction: "out")
                        + annotationLines(method.annotations))
            }
            + signals.flatMap { signal in
                element(
                    "signal", ["name": signal.name.rawValue],
                    signal.arguments.xml(direction: nil) + annotationLines(signal.annotations))
            }
            + properties.flatMap { property in
                var annotations = property.annotations
                if property.change != .value {
                    annotations[Introspection.emitsChangedSignal] = property.change.rawValue
                }
                return element(
                    "property",
                    [
                        "name": property.name, "type": property.type.rawValue,
                        "access": property.access.rawValue,
                    ], annotationLines(annotations))
            }
        return element("interface", ["name": name.rawValue], members + annotationLines(annotations))
            .map { "  " + $0 }
    }

    private func annotationLines(_ annotations: [String: String]) -> [String] {
        annotations.sorted { $0.key < $1.key }.flatMap { name, value in
            element("annotation", ["name": name, "value": value])
        }
    }
}

extension InterfaceDescription.Arguments {
    fileprivate func xml(direction: String?) -> [String] {
        zip(names, types).flatMap { name, type in
            let direction: KeyValuePairs = direction.map { ["direction": $0] } ?? [:]
            return element("arg", ["name": name, "type": type.rawValue], also: direction)
        }
    }
}

/// An element with its content, indented, on lines of their own.
private func element(
    _ name: String, _ attributes: KeyValuePairs<String, String>, _ content: [String] = [],
    also more: KeyValuePairs<String, String> = [:]
) -> [String] {
    let start = (Array(attributes) + Array(more)).reduce(name) {
        #"\#($0) \#($1.key)="\#(escaped($1.value))""#
    }
    return content.isEmpty ? ["<\(start)/>"] : ["<\(start)>"] + content.map { "  " + $0 } + ["</\(name)>"]
}

private func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
        switch character {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        default: result.append(character)
        }
    }
}
