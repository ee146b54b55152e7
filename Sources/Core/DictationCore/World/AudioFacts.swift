/// The `node.name` of a PipeWire node. Unlike object ids, names survive suspend, resume and a restart of the server.
/// Ids are used only within the adapter.
public struct NodeName: ExactName, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
}

/// A microphone: a PipeWire node whose `media.class` is `Audio/Source` or a kind of it, but not the monitor of a sink.
public struct Source: Hashable, Sendable {
    public var name: NodeName
    /// `node.description`, for people. May hold any characters; empty if there is none.
    public var description: String
    /// `device.bus`: `usb`, `pci`, `bluetooth`; empty if unknown.
    public var bus: String
    /// `api.bluez5.profile` of a Bluetooth source, such as `headset-head-unit`.
    public var bluetoothProfile: String?
    public var isMuted: Bool
    /// Its volume is 0.
    public var hasNoVolume: Bool
    /// 1 where unknown.
    public var channels: Int
    /// `priority.session`: the session manager chooses the default by it.
    public var priority: Int

    public init(
        name: NodeName, description: String = "", bus: String = "", bluetoothProfile: String? = nil,
        isMuted: Bool = false, hasNoVolume: Bool = false, channels: Int = 1, priority: Int = 0
    ) {
        self.name = name
        self.description = description
        self.bus = bus
        self.bluetoothProfile = bluetoothProfile
        self.isMuted = isMuted
        self.hasNoVolume = hasNoVolume
        self.channels = channels
        self.priority = priority
    }

    public var isBluetooth: Bool { bus == "bluetooth" || bluetoothProfile != nil }
}

/// A capture stream of another process. ``CallRules`` decides whether it is a call.
public struct OtherCapture: Hashable, Sendable {
    /// `application.name`. Identifies browsers and conference programs that set no role.
    public var application: String
    /// `application.process.binary`; empty if not set.
    public var binary: String
    /// `media.role`, such as `Communication`; empty if not set.
    public var role: String
    /// The node's state is `running`. An idle or suspended stream captures nothing.
    public var isRunning: Bool
    /// `stream.capture.sink`: it records the output of a sink, not a microphone.
    public var capturesMonitor: Bool
    /// The source that it is linked to, if any.
    public var source: NodeName?

    public init(
        application: String = "", binary: String = "", role: String = "", isRunning: Bool = true,
        capturesMonitor: Bool = false, source: NodeName? = nil
    ) {
        self.application = application
        self.binary = binary
        self.role = role
        self.isRunning = isRunning
        self.capturesMonitor = capturesMonitor
        self.source = source
    }
}

/// All present facts from the audio server that decisions depend on.
public struct AudioFacts: Hashable, Sendable {
    /// Whether the server is connected and answers. If not, the rest is empty.
    public var isServerAvailable: Bool
    public var sources: [NodeName: Source]
    /// Metadata `default.audio.source`, if it names a source and not a sink.
    public var defaultSource: NodeName?
    public var otherCaptures: [OtherCapture]

    public init(
        isServerAvailable: Bool = false, sources: [NodeName: Source] = [:], defaultSource: NodeName? = nil,
        otherCaptures: [OtherCapture] = []
    ) {
        self.isServerAvailable = isServerAvailable
        self.sources = sources
        self.defaultSource = defaultSource
        self.otherCaptures = otherCaptures
    }

    public static let serverLost = AudioFacts()
}
