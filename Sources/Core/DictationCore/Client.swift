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
    public var id: String

    public init(uid: UInt32, kind: Kind, id: String) {
        self.uid = uid
        self.kind = kind
        self.id = id
    }

    /// Compares bytes, as the kernel compares paths: two encodings of one accented letter are different paths.
    public static func == (one: Identity, other: Identity) -> Bool {
        one.uid == other.uid && one.kind == other.kind && one.id.hasSameBytes(as: other.id)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(uid)
        hasher.combine(kind)
        id.hashBytes(into: &hasher)
    }

    public var isSandboxed: Bool { kind == .flatpak || kind == .snap }

    /// Whether the application could be identified.
    public var isKnown: Bool { kind != .unknown }
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
