import DBus
import DictationInterface

/// An application, as the service identifies it.
public struct Application: Hashable, Sendable {
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A Flatpak application and its ID.
        public static let flatpak = Kind(rawValue: "flatpak")
        /// A snap and its name.
        public static let snap = Kind(rawValue: "snap")
        /// A systemd unit of an application, and the application's ID.
        public static let app = Kind(rawValue: "app")
        /// A program and its path.
        public static let executable = Kind(rawValue: "executable")
        /// Not identified.
        public static let unknown = Kind(rawValue: "unknown")
    }

    public var kind: Kind
    public var id: String

    public init(kind: Kind, id: String) {
        self.kind = kind
        self.id = id
    }

    /// Nil if the kind or the ID is missing.
    init?(_ details: [BusText: Value]) {
        guard let kind = details[ClientKey.kind].flatMap({ String($0) }),
            let id = details[ClientKey.id].flatMap({ String($0) })
        else { return nil }
        self.init(kind: Kind(rawValue: kind), id: id)
    }

    var details: [BusText: Value] {
        [ClientKey.kind: .string(kind.rawValue), ClientKey.id: .string(id)]
    }
}

/// The stored decisions about an application.
public struct ApplicationPermission: Hashable, Sendable {
    public var application: Application
    public var microphone: PermissionStatus
    public var speech: PermissionStatus
    /// Typing into windows for other programs.
    public var typing: PermissionStatus
    /// The time of its last dictation, in seconds since 1970; nil if there was none.
    public var lastUsed: Int64?

    init?(_ details: [BusText: Value]) {
        guard let application = Application(details) else { return nil }
        self.application = application
        microphone = details.status(of: .microphone)
        speech = details.status(of: .speech)
        typing = details.status(of: .typing)
        lastUsed = details[ClientKey.lastUsed].flatMap { Int64($0) }
    }
}

/// An entry of the audit log.
public struct PermissionDecision: Hashable, Sendable {
    /// In seconds since 1970.
    public var time: Int64
    public var application: Application
    public var resource: Resource
    public var status: PermissionStatus
    /// The program in which the user decided.
    public var prompter: String

    init?(_ details: [BusText: Value]) {
        guard let application = Application(details),
            let time = details[DecisionKey.time].flatMap({ Int64($0) }),
            let resource = details[DecisionKey.resource].flatMap({ String($0) }),
            let status = details[DecisionKey.status].flatMap({ String($0) })
        else { return nil }
        self.application = application
        self.time = time
        self.resource = Resource(rawValue: resource)
        self.status = PermissionStatus(rawValue: status)
        prompter = details[DecisionKey.prompter].flatMap { String($0) } ?? ""
    }
}

extension [BusText: Value] {
    fileprivate func status(of resource: Resource) -> PermissionStatus {
        self[BusText(resource.rawValue)].flatMap { String($0) }.map(PermissionStatus.init) ?? .notDetermined
    }
}
