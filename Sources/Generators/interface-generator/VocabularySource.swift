/// Writes the Swift files of the vocabulary. `swift format` formats them.
enum VocabularySource {
    private static let origin = "// Written by packaging/generate from dbus/*.xml; change those instead.\n"

    /// Keys of dictionaries.
    static func keys(_ vocabulary: Vocabulary) -> String {
        let keys = vocabulary.keys.map { list in
            """

            /// Keys of \(list.places.joined(separator: ", and of ")).
            public enum \(list.type) {
            \(declarations(list.terms) { "public static let \($0): BusText = \"\($1)\"" })
            }

            """
        }
        return """
            \(origin)
            public import DBus
            \(keys.joined())
            """
    }

    /// Names of errors.
    static func errors(_ vocabulary: Vocabulary) -> String {
        """
        \(origin)
        /// Errors of the interface. Their names on the bus begin with `org.example.Dictation.Error.`
        public enum DictationErrorKind: String, CaseIterable, Sendable {
        \(declarations(vocabulary.errors) { "case \($0) = \"\($1)\"" })
        }
        """
    }

    /// The values that clients read, as open types.
    static func words(_ vocabulary: Vocabulary) -> String {
        let types = vocabulary.words.map { list in
            let known = list.terms.map { ".\(SwiftNames.member($0.name))" }.joined(separator: ", ")
            return openType(
                list.type, "Values of \(list.places.joined(separator: ", and of "))",
                list.terms,
                """


                /// All values that this library knows.
                public static let known: [\(list.type)] = [\(known)]
                """)
        }
        let codes = openType(
            "DictationErrorCode", "Errors of the service and of this library", vocabulary.errors, "")
        return origin + types.joined() + codes
    }

    private static func openType(
        _ name: String, _ documentation: String, _ terms: [Vocabulary.Term], _ end: String
    ) -> String {
        """

        /// \(documentation). A newer service may send others.
        public struct \(name): RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        \(declarations(terms) { "public static let \($0) = \(name)(rawValue: \"\($1)\")" })\(end)
        }

        """
    }

    private static func declarations(
        _ terms: [Vocabulary.Term], _ declaration: (_ name: String, _ value: String) -> String
    ) -> String {
        terms.map { term in
            var text = term.documentation
            if !text.isEmpty, !text.hasPrefix("`") {
                text = text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
            }
            return DocumentationComment.text(text) + declaration(SwiftNames.escaped(term.name), term.name)
        }.joined(separator: "\n")
    }
}
