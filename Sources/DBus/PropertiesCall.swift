/// Somebody reads or writes properties of an exported object, through `org.freedesktop.DBus.Properties`.
struct PropertiesCall {
    let object: ObjectTree.Object
    let path: ObjectPath
    let sender: BusName
    let flags: Message.Flags

    func answer(_ method: MemberName, _ body: [Value]) throws(DBusError) -> [Value] {
        switch method {
        case "Get":
            let (interface, name) = try body.decoded(as: String.self, String.self)
            return [.variant(try get(name, of: interface))]
        case "GetAll":
            let interface = try body.decoded(as: String.self)
            return [Value(try getAll(of: interface))]
        default:
            let (interface, name, value) = try body.decoded(as: String.self, String.self, Value.self)
            try set(name, of: interface, to: value)
            return []
        }
    }

    private func get(_ name: String, of interface: String) throws(DBusError) -> Value {
        let (interface, property) = try object.property(name, of: interface)
        guard property.access != .write else { throw DBusError.accessDenied("\(name) cannot be read") }
        return try value(of: property, interface)
    }

    private func getAll(of interface: String) throws(DBusError) -> [String: Value] {
        var values: [String: Value] = [:]
        for description in try object.interfaces(named: interface) {
            for property in description.properties where property.access != .write {
                values[property.name] = try value(of: property, description.name)
            }
        }
        return values
    }

    private func set(
        _ name: String, of interface: String, to value: Value
    ) throws(DBusError) {
        let (interface, property) = try object.property(name, of: interface)
        guard property.access != .read else {
            throw DBusError(.propertyReadOnly, "\(name) cannot be written")
        }
        guard value.signature == property.type else {
            throw DBusError.invalidArgs("\(name) is of type \(property.type), not \(value.signature)")
        }
        try object.handler.set(access(to: property, interface), to: value)
    }

    private func value(
        of property: InterfaceDescription.Property, _ interface: InterfaceName
    ) throws(DBusError) -> Value {
        let value = try object.handler.value(of: access(to: property, interface))
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
