// Written by packaging/generate from dbus/*.xml; change those instead.

public import DBus

/// `routes` of `ListRoutes`. Nil is absent, or of a type that is not known.
public struct RouteDetails: Hashable, Sendable {
    /// node.name of the PipeWire source: the key, stable over restarts
    public var name: String?
    /// for people
    public var description: String?
    /// "usb", "pci", "bluetooth", empty where unknown
    public var bus: String?
    /// only of Bluetooth sources
    public var bluetoothProfile: String?
    /// it is there now
    public var available: Bool?
    /// the system's default source
    public var `default`: Bool?
    public var muted: Bool?
    /// its volume is 0
    public var noVolume: Bool?
    /// chosen with SelectRoute
    public var selected: Bool?
    /// a session captures from it now
    public var inUse: Bool?

    public init() {}

    public init(_ entries: [BusText: Value]) {
        name = entries["name"].flatMap { String($0) }
        description = entries["description"].flatMap { String($0) }
        bus = entries["bus"].flatMap { String($0) }
        bluetoothProfile = entries["bluetooth-profile"].flatMap { String($0) }
        available = entries["available"].flatMap { Bool($0) }
        `default` = entries["default"].flatMap { Bool($0) }
        muted = entries["muted"].flatMap { Bool($0) }
        noVolume = entries["no-volume"].flatMap { Bool($0) }
        selected = entries["selected"].flatMap { Bool($0) }
        inUse = entries["in-use"].flatMap { Bool($0) }
    }

    public var entries: [BusText: Value] {
        var entries: [BusText: Value] = [:]
        entries["name"] = name?.value
        entries["description"] = description?.value
        entries["bus"] = bus?.value
        entries["bluetooth-profile"] = bluetoothProfile?.value
        entries["available"] = available?.value
        entries["default"] = `default`?.value
        entries["muted"] = muted?.value
        entries["no-volume"] = noVolume?.value
        entries["selected"] = selected?.value
        entries["in-use"] = inUse?.value
        return entries
    }
}
