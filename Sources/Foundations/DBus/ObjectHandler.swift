import EventLoop

/// What stands behind an exported object.
///
/// Everything here is called on the event loop, in the order of arrival; calls were checked against the
/// description of the interface before.
public protocol ObjectHandler: Sendable {
    /// Does what a method is for. The call is answered through itself, at once or later, once.
    @EventLoopActor func handle(_ call: MethodCall)

    /// Calls `proceed`, on the loop, when properties can be read and set for who makes this call of
    /// `org.freedesktop.DBus.Properties`; by default at once. A caller for whom it is never called gets an error.
    @EventLoopActor func prepareProperties(
        for call: MethodCall, _ proceed: @escaping @EventLoopActor (Result<Void, DBusError>) -> Void)

    /// The value of a property that can be read.
    @EventLoopActor func value(of property: PropertyAccess) throws(DBusError) -> Value

    /// Sets a property that can be written, to a value of its type.
    @EventLoopActor func set(_ property: PropertyAccess, to value: Value) throws(DBusError)
}

extension ObjectHandler {
    @EventLoopActor public func prepareProperties(
        for call: MethodCall, _ proceed: @escaping @EventLoopActor (Result<Void, DBusError>) -> Void
    ) {
        proceed(.success(()))
    }

    public func value(of property: PropertyAccess) throws(DBusError) -> Value {
        throw DBusError(.unknownProperty, "\(property.name) has no value")
    }

    public func set(_ property: PropertyAccess, to value: Value) throws(DBusError) {
        throw DBusError(.propertyReadOnly, "\(property.name) cannot be set")
    }
}

/// Somebody reads or writes a property of an exported object.
public struct PropertyAccess: Sendable {
    /// The unique name of who does.
    public let sender: BusName
    public let path: ObjectPath
    public let interface: InterfaceName
    public let name: String
    public let flags: Message.Flags
}
