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
