/// The `node.name` of a PipeWire node. Names survive suspend, resume and a restart of the server; object
/// ids do not, so nothing outside the adapter ever sees an id.
public struct NodeName: ExactName, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
}

/// A microphone that PipeWire offers: a node whose `media.class` is `Audio/Source` or one of its kinds,
/// never the monitor of a sink.
public struct Source: Hashable, Sendable {
    public var name: NodeName
    /// `node.description`, for people. May hold any characters; empty where the device gives none.
    public var description: String
    /// `device.bus`: `usb`, `pci`, `bluetooth`; empty where unknown.
    public var bus: String
    /// `api.bluez5.profile` of a Bluetooth source, such as `headset-head-unit`.
    public var bluetoothProfile: String?
    public var isMuted: Bool
    /// `priority.session`: what the session manager prefers when it chooses a default.
    public var priority: Int

    public init(
        name: NodeName, description: String = "", bus: String = "", bluetoothProfile: String? = nil,
        isMuted: Bool = false, priority: Int = 0
    ) {
        self.name = name
        self.description = description
        self.bus = bus
        self.bluetoothProfile = bluetoothProfile
        self.isMuted = isMuted
        self.priority = priority
    }

    public var isBluetooth: Bool { bus == "bluetooth" || bluetoothProfile != nil }
}

/// A capture stream of another process, as the graph shows it. Whether it is a call is for
/// ``CallRules`` to say; the adapter reports, it does not judge.
public struct OtherCapture: Hashable, Sendable {
    /// `application.name`; browsers and conference programs that set no role are known by it.
    public var application: String
    /// `application.process.binary`; empty where the client does not say.
    public var binary: String
    /// `media.role`, such as `Communication`; empty where none is set.
    public var role: String
    /// The node's state is `running`; an idle or suspended stream takes no sound.
    public var isRunning: Bool
    /// `stream.capture.sink`: it records what is played, not a microphone.
    public var capturesMonitor: Bool
    /// The source that feeds it, where a link shows one.
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

/// Everything the audio server says that a decision can depend on, as it is now.
public struct AudioFacts: Hashable, Sendable {
    /// The server answers. While it does not, the rest is empty.
    public var isServerAvailable: Bool
    public var sources: [NodeName: Source]
    /// Metadata `default.audio.source`, only where it names a source and not a sink.
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
