/// Somebody reads or writes properties of an exported object, through `org.freedesktop.DBus.Properties`.
struct PropertiesCall {
    let object: ObjectTree.Object
    let path: ObjectPath
    let sender: BusName
    let flags: Message.Flags

    nonisolated(nonsending) func answer(_ method: MemberName, _ body: [Value]) async throws -> [Value] {
        switch method {
        case "Get":
            let (interface, name) = try body.decoded(as: String.self, String.self)
            return [.variant(try await get(name, of: interface))]
        case "GetAll":
            let interface = try body.decoded(as: String.self)
            return [Value(try await getAll(of: interface))]
        default:
            let (interface, name, value) = try body.decoded(as: String.self, String.self, Value.self)
            try await set(name, of: interface, to: value)
            return []
        }
    }

    private nonisolated(nonsending) func get(_ name: String, of interface: String) async throws -> Value {
        let (interface, property) = try object.property(name, of: interface)
        guard property.access != .write else { throw DBusError.accessDenied("\(name) cannot be read") }
        return try await value(of: property, interface)
    }

    private nonisolated(nonsending) func getAll(of interface: String) async throws -> [String: Value] {
        var values: [String: Value] = [:]
        for description in try object.interfaces(named: interface) {
            for property in description.properties where property.access != .write {
                values[property.name] = try await value(of: property, description.name)
            }
        }
        return values
    }

    private nonisolated(nonsending) func set(
        _ name: String, of interface: String, to value: Value
    ) async throws {
        let (interface, property) = try object.property(name, of: interface)
        guard property.access != .read else {
            throw DBusError(.propertyReadOnly, "\(name) cannot be written")
        }
        guard value.signature == property.type else {
            throw DBusError.invalidArgs("\(name) is of type \(property.type), not \(value.signature)")
        }
        try await object.handler.set(access(to: property, interface), to: value)
    }

    private nonisolated(nonsending) func value(
        of property: InterfaceDescription.Property, _ interface: InterfaceName
    ) async throws -> Value {
        let value = try await object.handler.value(of: access(to: property, interface))
        guard value.signature == property.type else {
            throw DBusError.failed(
                "\(property.name) is described to be of type \(property.type), but is of \(value.signature): "
                    + "a fault of the service")
        }
        return value
    }

    private func access(
        to property: InterfaceDescription.Property, _ interface: InterfaceName
    ) -> PropertyAccess {
        PropertyAccess(sender: sender, path: path, interface: interface, name: property.name, flags: flags)
    }
}
