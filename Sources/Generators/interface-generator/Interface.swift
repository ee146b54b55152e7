/// One `<interface>` of an introspection document, with the comments that stand before its members.
struct Interface: Equatable {
    var name: String
    var documentation = ""
    var methods: [Method] = []
    var signals: [Signal] = []
    var properties: [Property] = []

    struct Method: Equatable {
        var name: String
        var documentation: String
        var inputs: [Argument] = []
        var outputs: [Argument] = []
        var limits: [Limit: Int] = [:]
    }

    struct Signal: Equatable {
        var name: String
        var documentation: String
        var arguments: [Argument] = []
    }

    struct Property: Equatable {
        var name: String
        var documentation: String
        var type: WireType
        var access: Access
        var change = Change.value
        var vocabulary: [VocabularyNote] = []
    }

    struct Argument: Equatable {
        var name: String
        var type: WireType
        /// An argument of a call, not of its reply or of a signal.
        var isInput = false
        var vocabulary: [VocabularyNote] = []
    }

    /// An annotation that names the Swift type of what the comment of an argument or a property lists.
    struct VocabularyNote: Equatable {
        enum Kind: String {
            /// The keys of its dictionaries: `org.example.Dictation.Keys`.
            case keys = "org.example.Dictation.Keys"
            /// What it may say, in quotes: `org.example.Dictation.Words`, or with `.KEY` behind it, of a value of its
            /// dictionaries.
            case words = "org.example.Dictation.Words"
        }

        var kind: Kind
        var key: String?
        var type: String

        init?(annotation: String, type: String) {
            guard let kind = [Kind.keys, .words].first(where: { annotation.hasPrefix($0.rawValue) }) else {
                return nil
            }
            let rest = annotation.dropFirst(kind.rawValue.count)
            guard rest.isEmpty || rest.hasPrefix(".") else { return nil }
            self.kind = kind
            key = rest.isEmpty ? nil : String(rest.dropFirst())
            self.type = type
        }
    }

    /// How much a call may carry, by the part of an annotation's name behind its last dot.
    enum Limit: String, CaseIterable {
        case bytes = "Bytes"
        case values = "Values"
        case descriptors = "Descriptors"

        static let prefix = "org.example.Dictation.Limit."

        init?(annotation: String) {
            guard annotation.hasPrefix(Self.prefix) else { return nil }
            self.init(rawValue: String(annotation.dropFirst(Self.prefix.count)))
        }

        var annotation: String { Self.prefix + rawValue }
        var parameter: String { rawValue.lowercased() }
    }

    enum Access: String {
        case read
        case write
        case readwrite
    }

    /// Values of the annotation `org.freedesktop.DBus.Property.EmitsChangedSignal`.
    enum Change: String {
        case value = "true"
        case invalidates
        case const
        case nothing = "false"
    }
}

extension Interface {
    /// Some argument is a descriptor, whose type comes from another module than the rest.
    var hasDescriptors: Bool {
        let arguments = methods.flatMap { $0.inputs + $0.outputs } + signals.flatMap(\.arguments)
        return arguments.contains { $0.type.signature.contains("h") }
    }
}

/// What an introspection document holds: the object's path, where it has one, and its interfaces.
struct InterfaceDocument: Equatable {
    var path: String?
    var documentation = ""
    var interfaces: [Interface] = []
}
