import EventLoop

/// The implementation of an exported object.
///
/// Called on the event loop, in the order of arrival. Calls were checked against the description of the interface
/// before.
public protocol ObjectHandler: Sendable {
    /// Carries out a method. The handler replies through the call, once, at once or later.
    @EventLoopActor func handle(_ call: MethodCall)

    /// Calls `proceed`, on the loop, if the caller of `org.freedesktop.DBus.Properties` may read and set properties; by
    /// default at once. If it is never called, the caller gets an error.
    @EventLoopActor func prepareProperties(
        for call: MethodCall, _ proceed: @escaping @EventLoopActor (Result<Void, DBusError>) -> Void)

    /// The value of a readable property.
    @EventLoopActor func value(of property: PropertyAccess) throws(DBusError) -> Value

    /// Sets a writable property to a value of its type.
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

/// An access to a property of an exported object.
public struct PropertyAccess: Sendable {
    /// The caller's unique name.
    public let sender: BusName
    public let path: ObjectPath
    public let interface: InterfaceName
    public let name: String
    public let flags: Message.Flags
}
