/// The well-known bus name of a media player, `org.mpris.MediaPlayer2.…`.
public struct PlayerName: ExactName, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    /// playerctld forwards to the player used last, which would be paused and resumed twice.
    var isProxy: Bool { rawValue == "org.mpris.MediaPlayer2.playerctld" }
}

/// The present state of a media player.
public struct Player: Hashable, Sendable {
    /// `PlaybackStatus`.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }

    /// The connection that owns the name. Another one after a restart of the player.
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

/// The state of one user's dictation that ``PlaybackMachine`` depends on.
public struct DictationActivity: Hashable, Sendable {
    /// A session with `pause-playback` captures sound.
    public var isListening: Bool
    /// A session with `pause-playback` listens or is interrupted.
    public var wantsToListen: Bool
    /// A call, sleep or the lock screen: players are not resumed.
    public var blocksPlayback: Bool

    public init(isListening: Bool = false, wantsToListen: Bool = false, blocksPlayback: Bool = false) {
        self.isListening = isListening
        self.wantsToListen = wantsToListen
        self.blocksPlayback = blocksPlayback
    }
}
