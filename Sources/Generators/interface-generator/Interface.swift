/// An introspection document: the object's path, if it has one, and its interfaces.
struct InterfaceDocument: Equatable {
    var path: String?
    var documentation = ""
    var interfaces: [Interface] = []
}

/// One `<interface>`, with the comments before its members.
struct Interface: Equatable {
    var name: String
    var documentation = ""
    var methods: [Member] = []
    var signals: [Member] = []
    var properties: [Property] = []

    /// A method or a signal.
    struct Member: Equatable {
        var name: String
        var documentation: String
        /// A method's arguments of direction `in`, or all arguments of a signal.
        var inputs: [Argument] = []
        var outputs: [Argument] = []
        var limits: [Limit: Int] = [:]
    }

    struct Property: Equatable {
        var name: String
        var documentation: String
        var signature: String
        /// `read`, `write` or `readwrite`.
        var access: String
        /// A case of `InterfaceDescription.Property.Change`.
        var change = "value"
        var vocabulary: [VocabularyNote] = []
    }

    struct Argument: Equatable {
        var name: String
        /// A single complete type of the D-Bus specification.
        var signature: String
        var swiftType: String
        var vocabulary: [VocabularyNote] = []
    }

    /// An annotation that names the Swift type of the terms that the comment of an argument or a property lists.
    struct VocabularyNote: Equatable {
        enum Kind: String, CaseIterable {
            /// The keys of its dictionaries.
            case keys = "org.example.Dictation.Keys"
            /// Its values, in quotes; with `.KEY` appended, those of one key of its dictionaries.
            case words = "org.example.Dictation.Words"
            /// Its dictionaries themselves.
            case details = "org.example.Dictation.Details"
            /// With `.KEY` appended: the structures of one key of its dictionaries, and the names of their fields.
            case fields = "org.example.Dictation.Fields"
        }

        var kind: Kind
        var key: String?
        var type: String
    }

    /// Limits of a call's arguments. The annotations are `org.example.Dictation.Limit.Bytes` and so on.
    enum Limit: String, CaseIterable {
        case bytes = "Bytes"
        case values = "Values"
        case descriptors = "Descriptors"

        var annotation: String { "org.example.Dictation.Limit.\(rawValue)" }
    }
}
