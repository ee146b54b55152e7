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
    }

    struct Argument: Equatable {
        var name: String
        var type: WireType
        /// An argument of a call, not of its reply or of a signal.
        var isInput = false
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
