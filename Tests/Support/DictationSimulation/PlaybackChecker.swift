import DictationCore

/// Checks the promises of the playback machine.
struct PlaybackChecker: Hashable, Sendable {
    private struct Pause: Hashable {
        var owner: ClientName
        var askedAt: Duration
        var isSeen = false
    }

    private var players: [PlayerName: Player] = [:]
    private var activity = DictationActivity()
    /// The players that were paused by the machine, until they change in another way.
    private var pauses: [PlayerName: Pause] = [:]

    mutating func expect(_ activity: DictationActivity) { self.activity = activity }

    mutating func expect(_ players: [PlayerName: Player], at now: Duration) {
        for (name, pause) in pauses {
            let player = players[name]
            let isLate = !pause.isSeen && now - pause.askedAt > PlaybackMachine.timeout
            let hasPlayed = player?.status == .playing && pause.isSeen
            if player?.owner != pause.owner || player?.status == .stopped || isLate || hasPlayed {
                pauses[name] = nil
            } else if player?.status == .paused {
                pauses[name]?.isSeen = true
            }
        }
        self.players = players
    }

    mutating func check(_ effect: PlaybackMachine.Effect, at now: Duration) throws(Violation) {
        switch effect {
        case .pause(let name, let owner):
            let player = players[name]
            try require(
                player?.owner == owner && player?.status == .playing && activity.isListening, .players,
                "\(name) is paused and should not be")
            pauses[name] = Pause(owner: owner, askedAt: now)
        case .play(let name, let owner):
            try require(pauses[name]?.owner == owner, .players, "\(name) was not paused here")
            try require(players[name]?.status == .paused, .players, "\(name) is not paused")
            try require(
                !activity.wantsToListen && !activity.blocksPlayback, .players, "\(name) is resumed too early")
        }
    }

    /// Call when all players have obeyed.
    func checkCalm() throws(Violation) {
        guard !activity.wantsToListen, !activity.blocksPlayback else { return }
        for (name, pause) in pauses where pause.isSeen {
            try require(players[name]?.status != .paused, .players, "\(name) was never resumed")
        }
    }
}
