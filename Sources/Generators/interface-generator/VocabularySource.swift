/// Writes the Swift files of the vocabulary.
enum VocabularySource {
    private static let origin = "// Written by packaging/generate from dbus/*.xml; change those instead."

    /// Keys of dictionaries, and names of errors.
    static func keys(_ vocabulary: Vocabulary) -> String {
        var source = SourceText()
        source.line(origin)
        source.line()
        source.line("public import DBus")
        for list in vocabulary.keys {
            source.line()
            source.documentation("Keys of \(places(list)).", of: "")
            source.block("public enum \(list.type)") { source in
                write(list.terms, to: &source) {
                    "public static let \(SwiftNames.escaped($0.name)): BusText = \"\($0.name)\""
                }
            }
        }
        source.line()
        source.documentation("Errors of the interface, behind `org.example.Dictation.Error.`", of: "")
        source.block("public enum DictationErrorKind: String, CaseIterable, Sendable") { source in
            write(vocabulary.errors, to: &source) {
                "case \(SwiftNames.escaped($0.name)) = \"\($0.name)\""
            }
        }
        return source.text
    }

    /// Words that values may be, as open types.
    static func words(_ vocabulary: Vocabulary) -> String {
        var source = SourceText()
        source.line(origin)
        for list in vocabulary.words {
            source.line()
            source.documentation(
                "What \(places(list)) may be. A newer service may say what this library does not know.",
                of: "")
            source.block("public struct \(list.type): RawRepresentable, Hashable, Sendable") { source in
                source.line("public let rawValue: String")
                source.line("public init(rawValue: String) { self.rawValue = rawValue }")
                source.line()
                write(list.terms, to: &source) {
                    "public static let \(SwiftNames.escaped($0.name)) = \(list.type)(rawValue: \"\($0.name)\")"
                }
                source.line()
                source.documentation("All that this library knows.", of: "")
                source.list(
                    "public static let known: [\(list.type)] = [",
                    list.terms.map { ".\(SwiftNames.member($0.name))" }, "]", isCollection: true)
            }
        }
        return source.text
    }

    private static func places(_ list: Vocabulary.List) -> String {
        list.places.joined(separator: ", and of ")
    }

    private static func write(
        _ terms: [Vocabulary.Term], to source: inout SourceText, _ declaration: (Vocabulary.Term) -> String
    ) {
        for term in terms {
            source.documentation(sentence(term.documentation), of: "")
            source.line(declaration(term))
        }
    }

    private static func sentence(_ text: String) -> String {
        guard !text.isEmpty, !text.hasPrefix("`") else { return text }
        return text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }
}
