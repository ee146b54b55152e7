/// The exported objects of a connection, and the lookup of calls.
struct ObjectTree {
    struct Object {
        let interfaces: [InterfaceDescription]
        let handler: any ObjectHandler
    }

    /// A method call with valid arguments.
    struct Target {
        let interface: InterfaceDescription
        let method: InterfaceDescription.Method
        /// Nil if there is no object, but some below.
        let object: Object?
    }

    private var objects: [ObjectPath: Object] = [:]

    subscript(path: ObjectPath) -> Object? {
        get { objects[path] }
        set { objects[path] = newValue }
    }

    /// The names of the next level below the path.
    func children(of path: ObjectPath) -> [String] {
        Set(objects.keys.compactMap { $0.relative(to: path)?.prefix { $0 != "/" } }).map { String($0) }
            .sorted()
    }

    func interfaces(at path: ObjectPath) -> [InterfaceDescription] {
        let own = objects[path]?.interfaces
        return [.introspectable, .peer] + (own.map { [.properties] + $0 } ?? [])
    }

    /// Looks up the target of a call.
    func target(of call: Message, signature: Signature) throws(DBusError) -> Target {
        guard let path = call.path else {
            throw DBusError(.unknownObject, "there is no object with such a long path")
        }
        guard let member = call.member else { throw .failed("a call without a member") }
        let object = objects[path]
        // `Peer` is on every path.
        guard object != nil || call.interface == .peer || !children(of: path).isEmpty else {
            throw DBusError(.unknownObject, "there is no object \(path)")
        }
        let candidates = interfaces(at: path).filter { call.interface == nil || $0.name == call.interface }
        if let interface = call.interface, candidates.isEmpty {
            throw DBusError(.unknownInterface, "\(path) has no interface \(interface)")
        }
        for interface in candidates {
            guard let method = interface.methods.first(where: { $0.name == member }) else { continue }
            guard method.input.signature == signature else {
                throw .invalidArgs("\(member) takes (\(method.input.signature)), not (\(signature))")
            }
            return Target(interface: interface, method: method, object: object)
        }
        throw DBusError(
            .unknownMethod, "\(path) has no method \(call.interface.map { "\($0)." } ?? "")\(member)")
    }
}

extension ObjectTree.Object {
    /// The property with that name; in any interface if none is given.
    func property(
        _ name: BusText, of interface: BusText
    ) throws(DBusError) -> (InterfaceName, InterfaceDescription.Property) {
        try Self.checkName(name)
        for description in try interfaces(named: interface) {
            if let property = description.properties.first(where: { BusText($0.name) == name }) {
                return (description.name, property)
            }
        }
        throw DBusError(.unknownProperty, "there is no property \(name)")
    }

    /// The interface with that name; all for the empty name.
    func interfaces(named interface: BusText) throws(DBusError) -> [InterfaceDescription] {
        try Self.checkName(interface)
        let named = interfaces.filter { interface.isEmpty || BusText($0.name.rawValue) == interface }
        if named.isEmpty, !interface.isEmpty, !ObjectTree.isStandard(interface) {
            throw DBusError(.unknownInterface, "there is no interface \(interface)")
        }
        return named
    }

    /// Names are repeated in errors.
    private static func checkName(_ name: BusText) throws(DBusError) {
        if name.count > MessageLimits.nameBytes {
            throw .invalidArgs("a name has at most \(MessageLimits.nameBytes) bytes, not \(name.count)")
        }
    }
}

extension ObjectTree {
    /// Standard interfaces have no properties.
    fileprivate static func isStandard(_ interface: BusText) -> Bool {
        [InterfaceName.introspectable, .peer, .properties].contains { BusText($0.rawValue) == interface }
    }
}
