/// Writes the types of the dictionaries that the service sends. `swift format` formats them.
enum DetailsSource {
    /// Names of files and their texts.
    static func files(_ vocabulary: Vocabulary) throws(GeneratorError) -> [String: String] {
        var files: [String: String] = [:]
        for list in vocabulary.details {
            files["\(list.type).swift"] = """
                // Written by packaging/generate from dbus/*.xml; change those instead.

                public import DBus
                \(try type(list, vocabulary.fields[list.type] ?? [:]))
                """
        }
        return files
    }

    private static func type(
        _ list: Vocabulary.List, _ fields: [String: Vocabulary.Fields]
    ) throws(GeneratorError) -> String {
        var structures = ""
        var properties: [String] = []
        var reading = ""
        var writing = ""
        for term in list.terms {
            guard let signature = term.signature else {
                throw GeneratorError("\(list.type): “\(term.name)” has no type")
            }
            var type: String
            if let fields = fields[term.name] {
                let start = signature.firstIndex(of: "(") ?? signature.endIndex
                structures += try structure(fields, signature[start...], "\(list.type), \(term.name)")
                type = signature.hasPrefix("a") ? "[\(fields.type)]" : fields.type
            } else {
                type = try SwiftType.named(by: signature, isInput: false)
            }
            let name = SwiftNames.escaped(term.name)
            properties.append("\(DocumentationComment.text(term.meaning))public var \(name): \(type)?")
            reading += "\n\(name) = entries[\"\(term.name)\"].flatMap { \(type)($0) }"
            writing += "\nentries[\"\(term.name)\"] = \(name)?.value"
        }
        return """

            /// \(list.places.joined(separator: ", and ")). Nil is absent, or of a type that is not known.
            public struct \(list.type): Hashable, Sendable {
            \(structures)\(properties.joined(separator: "\n"))

            public init() {}

            public init(_ entries: [BusText: Value]) {\(reading)
            }

            public var entries: [BusText: Value] {
            var entries: [BusText: Value] = [:]\(writing)
            return entries
            }
            }

            """
    }

    private static func structure(
        _ fields: Vocabulary.Fields, _ signature: Substring, _ place: String
    ) throws(GeneratorError) -> String {
        let types = try signature.dropFirst().dropLast().map { (code) throws(GeneratorError) in
            try SwiftType.named(by: String(code), isInput: false)
        }
        guard signature.hasPrefix("("), signature.hasSuffix(")"), types.count == fields.names.count else {
            throw GeneratorError("\(place): \(fields.names.count) fields do not fit “\(signature)”")
        }
        let names = fields.names
        let declarations = zip(names, types).map { "\($0): \($1)" }
        return """
            public struct \(fields.type): ValueConvertible, Hashable, Sendable {
            public static let signature: Signature = "\(signature)"

            \(declarations.map { "public var \($0)" }.joined(separator: "\n"))

            public init(\(declarations.joined(separator: ", "))) {
            \(names.map { "self.\($0) = \($0)" }.joined(separator: "\n"))
            }

            public init?(_ value: Value) {
            guard case .structure(let fields) = value,
            let (\(names.joined(separator: ", "))) = try? fields.decoded(as: \(types.map { "\($0).self" }.joined(separator: ", ")))
            else { return nil }
            self.init(\(names.map { "\($0): \($0)" }.joined(separator: ", ")))
            }

            public var value: Value { .structure([\(names.map { "Value(\($0))" }.joined(separator: ", "))]) }
            }


            """
    }
}
