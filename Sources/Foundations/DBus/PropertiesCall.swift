import EventLoop

/// A call of `org.freedesktop.DBus.Properties` for an exported object.
@EventLoopActor
struct PropertiesCall {
    let object: ObjectTree.Object
    let call: MethodCall

    func answer() throws(DBusError) -> [Value] {
        let body = try call.body()
        switch call.member {
        case "Get":
            let (interface, name) = try body.decoded(as: BusText.self, BusText.self)
            return [.variant(try get(name, of: interface))]
        case "GetAll":
            let interface = try body.decoded(as: BusText.self)
            return [Value(try getAll(of: interface))]
        default:
            let (interface, name, value) = try body.decoded(as: BusText.self, BusText.self, Value.self)
            try set(name, of: interface, to: value)
            return []
        }
    }

    private func get(_ name: BusText, of interface: BusText) throws(DBusError) -> Value {
        let (interface, property) = try object.property(name, of: interface)
        guard property.access != .write else { throw DBusError.accessDenied("\(name) cannot be read") }
        return try value(of: property, interface)
    }

    private func getAll(of interface: BusText) throws(DBusError) -> [BusText: Value] {
        var values: [BusText: Value] = [:]
        for description in try object.interfaces(named: interface) {
            for property in description.properties where property.access != .write {
                values[BusText(property.name)] = try value(of: property, description.name)
            }
        }
        return values
    }

    private func set(
        _ name: BusText, of interface: BusText, to value: Value
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
                    + "an error in the service")
        }
        return value
    }

    private func access(
        to property: InterfaceDescription.Property, _ interface: InterfaceName
    ) -> PropertyAccess {
        PropertyAccess(
            sender: call.sender, path: call.path, interface: interface, name: property.name, flags: call.flags
        )
    }
}
