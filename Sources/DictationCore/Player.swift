/// The well-known bus name of a media player, `org.mpris.MediaPlayer2.…`.
public struct PlayerName: ExactName, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    /// Stands for whichever player was used last, and would be paused and resumed twice.
    var isProxy: Bool { rawValue == "org.mpris.MediaPlayer2.playerctld" }
}

/// A player as it is now.
public struct Player: Hashable, Sendable {
    /// `PlaybackStatus`.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }

    /// The connection that owns the name; another one after the player was started anew.
    public var owner: ClientName
    public var status: Status
    /// `CanPause`.
    public var canPause: Bool

    public init(owner: ClientName, status: Status, canPause: Bool = true) {
        self.owner = owner
        self.status = status
        self.canPause = canPause
    }
}

/// What of a world's dictation concerns the players.
public struct DictationActivity: Hashable, Sendable {
    /// Sound flows to a session that wants quiet.
    public var isListening: Bool
    /// Some session that wants quiet listens, or would if it could.
    public var wantsToListen: Bool
    /// A call, sleep or the lock screen: no time for music.
    public var keepsQuiet: Bool

    public init(isListening: Bool = false, wantsToListen: Bool = false, keepsQuiet: Bool = false) {
        self.isListening = isListening
        self.wantsToListen = wantsToListen
        self.keepsQuiet = keepsQuiet
    }
}
