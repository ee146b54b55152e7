/// Pauses the players that play when dictation begins to listen, and resumes them when it no longer wants to:
/// only those it paused, that nobody restarted, and that are still paused.
///
/// Players are told as a whole, as they are now, and answer when they please; how long to wait for one, and that
/// a bad one stops nothing, is the adapter's concern.
public struct PlaybackMachine: Hashable, Sendable {
    public enum Event: Hashable, Sendable {
        /// Every player there is.
        case players([PlayerName: Player])
        case dictation(DictationActivity)
    }

    /// To be sent to the connection, not to the name: a player started anew is another player.
    public enum Effect: Hashable, Sendable {
        case pause(PlayerName, owner: ClientName)
        case play(PlayerName, owner: ClientName)
    }

    /// How far a player has got with what it was asked.
    private enum Progress: Hashable {
        case pausing(since: Duration)
        case paused
        case resuming(since: Duration)
    }

    private struct Asked: Hashable {
        var owner: ClientName
        var progress: Progress
    }

    /// A change that comes later than this after it was asked for is somebody else's doing.
    public static let timeout: Duration = .seconds(5)

    /// Nil until they were told for the first time.
    private var players: [PlayerName: Player]?
    private var activity = DictationActivity()
    private var asked: [PlayerName: Asked] = [:]
    /// Players that somebody started while dictation listened: that is how they want it.
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
        if !activity.wantsToListen, !activity.keepsQuiet { effects += resumePaused(at: now) }
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
                // It plays because it was resumed when dictation had just begun anew.
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
