/// Pauses playing media players when dictation begins to listen, and resumes them when it no longer wants to listen. It
/// resumes only players that it paused, that were not restarted, and that are still paused.
///
/// ``Event/players(_:)`` has the present state of all players. Timeouts and errors of a player's replies are handled by
/// the adapter.
public struct PlaybackMachine: Hashable, Sendable {
    public enum Event: Hashable, Sendable {
        /// The present state of all players.
        case players([PlayerName: Player])
        case dictation(DictationActivity)
    }

    /// Send to the connection, not to the name: after a restart of the player, the name has another owner.
    public enum Effect: Hashable, Sendable {
        case pause(PlayerName, owner: ClientName)
        case play(PlayerName, owner: ClientName)
    }

    /// The progress of a request to a player.
    private enum Progress: Hashable {
        case pausing(since: Duration)
        case paused
        case resuming(since: Duration)
    }

    private struct Asked: Hashable {
        var owner: ClientName
        var progress: Progress
    }

    /// Changes later than this after a request are treated as the user's own.
    public static let timeout: Duration = .seconds(5)

    /// Nil until the first ``Event/players(_:)``.
    private var players: [PlayerName: Player]?
    private var activity = DictationActivity()
    private var asked: [PlayerName: Asked] = [:]
    /// Players that the user started during dictation. They are not paused.
    private var untouched: Set<PlayerName> = []

    public init() {}

    public mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
        forgetOverdue(at: now)
        var effects: [Effect] = []
        var beginsToListen = false
        switch event {
        case .players(let current):
            beginsToListen = players == nil && activity.isListening
            effects += update(current, at: now)
        case .dictation(let current):
            beginsToListen = current.isListening && !activity.isListening
            activity = current
        }
        if !activity.wantsToListen { untouched = [] }
        if beginsToListen { effects += pausePlaying(at: now) }
        if !activity.wantsToListen, !activity.blocksPlayback { effects += resumePaused(at: now) }
        return effects
    }

    private mutating func forgetOverdue(at now: Duration) {
        asked = asked.filter {
            switch $0.value.progress {
            case .pausing(let since), .resuming(let since): now - since <= Self.timeout
            case .paused: true
            }
        }
    }

    private mutating func update(_ current: [PlayerName: Player], at now: Duration) -> [Effect] {
        let previous = players
        players = current
        untouched = untouched.filter { current[$0]?.status == .playing }
        asked = asked.filter { current[$0.key]?.owner == $0.value.owner }
        var effects: [Effect] = []
        for (name, player) in current.sorted(by: { $0.key < $1.key }) {
            let began = player.status == .playing && previous?[name]?.status != .playing
            switch (asked[name]?.progress, player.status) {
            case (.pausing, .paused):
                asked[name]?.progress = .paused
            case (.resuming, .playing):
                // The resume was sent just before dictation began again: pause it again.
                asked[name] = nil
                if activity.isListening { effects += pause(name, player, at: now) }
            case (.paused, .playing), (_, .stopped), (nil, .playing):
                asked[name] = nil
                if began, previous != nil, activity.isListening { untouched.insert(name) }
            case (.pausing, .playing), (.paused, .paused), (.resuming, .paused), (nil, .paused):
                break
            }
        }
        return effects
    }

    private mutating func pausePlaying(at now: Duration) -> [Effect] {
        (players ?? [:]).filter { $0.value.status == .playing && !untouched.contains($0.key) }
            .sorted { $0.key < $1.key }
            .flatMap { pause($0.key, $0.value, at: now) }
    }

    private mutating func pause(_ name: PlayerName, _ player: Player, at now: Duration) -> [Effect] {
        guard player.canPause, !name.isProxy else { return [] }
        asked[name] = Asked(owner: player.owner, progress: .pausing(since: now))
        return [.pause(name, owner: player.owner)]
    }

    private mutating func resumePaused(at now: Duration) -> [Effect] {
        let paused = asked.filter { $0.value.progress == .paused }.sorted { $0.key < $1.key }
        return paused.map { name, asked in
            self.asked[name]?.progress = .resuming(since: now)
            return .play(name, owner: asked.owner)
        }
    }
}
