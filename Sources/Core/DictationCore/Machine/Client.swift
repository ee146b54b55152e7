/// The identity of an application, from the bus and the kernel; never from the application itself.
public struct Identity: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// `id` is the application id of `.flatpak-info`.
        case flatpak
        /// `id` is the snap's name.
        case snap
        /// `id` is the application id of the systemd unit whose first process it is.
        case app
        /// `id` is the path of the executable.
        case executable
        /// The application could not be identified; `id` is empty.
        case unknown
    }

    public var uid: UInt32
    public var kind: Kind
    public var id: ApplicationID

    public init(uid: UInt32, kind: Kind, id: String) {
        self.uid = uid
        self.kind = kind
        self.id = ApplicationID(id)
    }

    /// An application that could not be identified.
    public static func unknown(ofUser uid: UInt32) -> Identity {
        Identity(uid: uid, kind: .unknown, id: "")
    }

    public var isSandboxed: Bool { kind == .flatpak || kind == .snap }

    /// Whether the application could be identified.
    public var isKnown: Bool { kind != .unknown }
}

/// The name of an application among those of its ``Identity/Kind``. Any program can store up to 4096 bytes of its choice as one.
public struct ApplicationID: ExactName, CustomStringConvertible, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral literal: String) { rawValue = literal }

    public var description: String { rawValue }
    public var isEmpty: Bool { rawValue.isEmpty }
}

/// The unique name of a connection to the bus, such as `:1.42`. The bus never reuses it.
public struct ClientName: ExactName, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
}

/// A connection to the bus and the identity of its application.
public struct Client: Hashable, Sendable {
    public var name: ClientName
    public var identity: Identity

    public init(name: ClientName, identity: Identity) {
        self.name = name
        self.identity = identity
    }

    /// Whether each may control the other's lingering session.
    public func sharesLingeringSessions(with other: Client) -> Bool {
        identity.uid == other.identity.uid && controlGroup == other.controlGroup
    }

    var controlGroup: ControlGroup {
        switch identity.kind {
        case .flatpak, .snap: .sandbox(identity)
        case .app, .executable: .desktop
        case .unknown: .stranger(name)
        }
    }
}

/// The clients that may control each other's lingering sessions.
enum ControlGroup: Hashable, Sendable {
    /// Every client outside a sandbox.
    case desktop
    /// One sandboxed application.
    case sandbox(Identity)
    /// An unidentified client: it controls only its own session.
    case stranger(ClientName)
}
