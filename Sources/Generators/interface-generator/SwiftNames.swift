/// Swift names for D-Bus names.
enum SwiftNames {
    /// `RequestPermission`, `rms_dbfs` → `requestPermission`, `rmsDbfs`; not escaped.
    static func member(_ name: String) -> String {
        let words = name.split(whereSeparator: { $0 == "_" || $0 == "-" })
        guard let first = words.first else { return name }
        return first.prefix(1).lowercased() + first.dropFirst()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// ``member(_:)`` in back-quotes where Swift reserves the word.
    static func escaped(_ name: String) -> String {
        let name = member(name)
        return reserved.contains(name) ? "`\(name)`" : name
    }

    /// `org.example.Dictation.AgentManager` → `DictationAgentManager`: the components from the first that is
    /// capitalised.
    static func type(interface: String) throws(GeneratorError) -> String {
        let name = interface.split(separator: ".").drop { $0.first?.isUppercase != true }.joined()
        guard !name.isEmpty else {
            throw GeneratorError("no component of “\(interface)” begins with a capital")
        }
        return name
    }

    private static let reserved = Set(
        """
        as associatedtype break case catch class continue default defer deinit do else enum extension fallthrough false \
        fileprivate for func guard if import in init inout internal is let nil operator precedencegroup private protocol \
        public repeat rethrows return self static struct subscript super switch throw throws true try typealias var where while
        """.split(separator: " ").map(String.init))
}

extension Interface.Argument {
    var swiftName: String { SwiftNames.escaped(name) }
    var declaration: String { "\(swiftName): \(swiftType)" }
}

extension [Interface.Argument] {
    /// `text: String, offset: UInt64`
    var declarations: String { map(\.declaration).joined(separator: ", ") }

    /// `[Value(text), Value(offset)]`
    var encoded: String { "[\(map { "Value(\($0.swiftName))" }.joined(separator: ", "))]" }

    /// `try body.decoded(as: String.self, UInt64.self)`
    func decoded(from body: String) -> String {
        "try \(body).decoded(as: \(map { "\($0.swiftType).self" }.joined(separator: ", ")))"
    }
}
