internal import DBus
internal import DictationCore

/// A media player with the interface MPRIS, version 2.2.
struct MediaPlayer {
    static let namePrefix = "org.mpris.MediaPlayer2."
    static let path: ObjectPath = "/org/mpris/MediaPlayer2"
    static let interface: InterfaceName = "org.mpris.MediaPlayer2.Player"

    let owner: BusName
    let connection: Connection
    /// Timeout of calls.
    let timeout: Duration

    /// Whether this is the name of a player other than `playerctld`, which is a proxy for the last used one.
    static func isName(_ name: String) -> Bool {
        name.hasPrefix(namePrefix) && name != namePrefix + "playerctld"
    }

    func look() async throws -> Player {
        let properties = try await call(.properties, "GetAll", [.string(Self.interface.rawValue)])
            .decoded(as: [BusText: Value].self)
        guard let status = properties["PlaybackStatus"].flatMap(Player.Status.init) else {
            throw DBusError(.unknownProperty, "it has no PlaybackStatus")
        }
        return Player(
            owner: ClientName(owner.rawValue), status: status,
            canPause: properties["CanPause"].flatMap { Bool($0) } ?? false)
    }

    func pause() async throws {
        _ = try await call(Self.interface, "Pause", [])
    }

    func play() async throws {
        _ = try await call(Self.interface, "Play", [])
    }

    private func call(_ interface: InterfaceName, _ member: MemberName, _ body: [Value]) async throws
        -> [Value]
    {
        try await connection.call(
            destination: owner, path: Self.path, interface: interface, member: member, body, timeout: timeout
        )
    }
}

extension Player.Status {
    init?(_ value: Value) {
        guard let text = String(value) else { return nil }
        self.init(rawValue: text)
    }
}
