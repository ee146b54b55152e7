/// What stands behind an exported object.
///
/// Calls were checked against the description of the interface before they come here.
/// Each is begun in the order of arrival, up to its first suspension, before the next one is;
/// what is thrown is the reply: a `DBusError` as it is, anything else as `Failed`.
public protocol ObjectHandler: Sendable {
    /// - Returns: what the method returns, of the types that the description says.
    nonisolated(nonsending) func call(_ call: MethodCall) async throws -> [Value]

    /// The value of a property that can be read.
    nonisolated(nonsending) func value(of property: PropertyAccess) async throws -> Value

    /// Sets a property that can be written, to a value of its type.
    nonisolated(nonsending) func set(_ property: PropertyAccess, to value: Value) async throws
}

extension ObjectHandler {
    public nonisolated(nonsending) func value(of property: PropertyAccess) async throws -> Value {
        throw DBusError(.unknownProperty, "\(property.name) has no value")
    }

    public nonisolated(nonsending) func set(_ property: PropertyAccess, to value: Value) async throws {
        throw DBusError(.propertyReadOnly, "\(property.name) cannot be set")
    }
}

/// A call of a method of an exported object.
public struct MethodCall: Sendable {
    /// The unique name of the caller.
    public let sender: BusName
    public let path: ObjectPath
    public let interface: InterfaceName
    public let member: MemberName
    public let body: [Value]
    public let flags: Message.Flags
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
