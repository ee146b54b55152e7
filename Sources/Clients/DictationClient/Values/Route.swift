public import DBus
import DictationInterface

/// A microphone.
public struct Route: Hashable, Sendable {
    /// `node.name` of the PipeWire source: an identifier that survives restarts.
    public var name: String
    /// For people.
    public var description: String
    /// `usb`, `pci`, `bluetooth`; empty if unknown.
    public var bus: String
    public var bluetoothProfile: String?
    /// Whether it is connected now.
    public var isAvailable: Bool
    /// Whether it is the system's default source.
    public var isDefault: Bool
    public var isMuted: Bool
    /// Whether its volume is 0.
    public var hasNoVolume: Bool
    public var isSelected: Bool
    /// Whether a session captures from it now.
    public var isInUse: Bool

    /// Nil if `details` names no microphone, which means none.
    public init?(_ details: [BusText: Value]) {
        let details = RouteDetails(details)
        guard let name = details.name else { return nil }
        self.name = name
        description = details.description ?? ""
        bus = details.bus ?? ""
        bluetoothProfile = details.bluetoothProfile
        isAvailable = details.available ?? false
        isDefault = details.default ?? false
        isMuted = details.muted ?? false
        hasNoVolume = details.noVolume ?? false
        isSelected = details.selected ?? false
        isInUse = details.inUse ?? false
    }

    /// A name for people: its description, or its name if it has none.
    public var title: String { description.isEmpty ? name : description }
}
