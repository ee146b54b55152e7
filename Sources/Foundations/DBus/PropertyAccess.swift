/// An access to a property of an exported object.
public struct PropertyAccess: Sendable {
    /// The caller's unique name.
    public let sender: BusName
    public let path: ObjectPath
    public let interface: InterfaceName
    public let name: String
    public let flags: Message.Flags
}
