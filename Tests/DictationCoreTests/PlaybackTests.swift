import DictationCore
import Testing

@Suite struct PlaybackTests {
    /// Two players and a proxy, the first of which plays.
    struct Room {
        static let music = PlayerName("org.mpris.MediaPlayer2.music")
        static let video = PlayerName("org.mpris.MediaPlayer2.video")
        static let proxy = PlayerName("org.mpris.MediaPlayer2.playerctld")

        var machine = PlaybackMachine()
        var players: [PlayerName: Player] = [
            music: Player(owner: ClientName(":1.1"), status: .playing),
            video: Player(owner: ClientName(":1.2"), status: .paused),
            proxy: Player(owner: ClientName(":1.3"), status: .playing),
        ]
        var now: Duration = .zero
        var asked: [PlaybackMachine.Effect] = []

        init() { tell() }

        mutating func tell() { asked += machine.handle(.players(players), at: now) }

        mutating func change(_ name: PlayerName = music, _ change: (inout Player?) -> Void) {
            change(&players[name])
            tell()
        }

        mutating func dictation(_ activity: DictationActivity) {
            asked += machine.handle(.dictation(activity), at: now)
        }

        /// Dictation listens and the player has carried out its commands.
        mutating func beginToListen() {
            dictation(.listening)
            change { $0?.status = .paused }
            asked = []
        }

        static let pauseMusic = PlaybackMachine.Effect.pause(music, owner: ClientName(":1.1"))
        static let playMusic = PlaybackMachine.Effect.play(music, owner: ClientName(":1.1"))
    }

    @Test func pausesWhatPlaysWhenListeningBegins() {
        var room = Room()
        room.dictation(DictationActivity(wantsToListen: true))
        #expect(room.asked.isEmpty)
        room.dictation(.listening)
        #expect(room.asked == [Room.pauseMusic])
    }

    @Test func leavesAPlayerThatCannotPause() {
        var room = Room()
        room.change { $0?.canPause = false }
        room.dictation(.listening)
        #expect(room.asked.isEmpty)
    }

    /// What the player does while it is paused × how dictation ends × whether it is resumed at once, and whether it is resumed
    /// after a call or lock.
    enum Meanwhile: CaseIterable { case nothing, userPlays, userStops, restarts, dies, hangs }
    enum End: CaseIterable { case noLongerWants, interrupted, inCall }

    @Test(arguments: Meanwhile.allCases, End.allCases)
    func resumesOnlyWhatItPausedAndIsStillPaused(_ meanwhile: Meanwhile, _ end: End) {
        var room = Room()
        if meanwhile == .hangs {
            room.dictation(.listening)
            room.now += .seconds(6)
            room.asked = []
        } else {
            room.beginToListen()
        }
        switch meanwhile {
        case .nothing, .hangs: break
        case .userPlays: room.change { $0?.status = .playing }
        case .userStops: room.change { $0?.status = .stopped }
        case .restarts: room.change { $0?.owner = ClientName(":1.99") }
        case .dies: room.change { $0 = nil }
        }
        let isOurs = meanwhile == .nothing
        switch end {
        case .noLongerWants:
            room.dictation(.none)
            #expect(room.asked == (isOurs ? [Room.playMusic] : []))
        case .interrupted:
            room.dictation(DictationActivity(wantsToListen: true))
            #expect(room.asked.isEmpty)
        case .inCall:
            room.dictation(DictationActivity(blocksPlayback: true))
            #expect(room.asked.isEmpty)
            room.dictation(.none)
            #expect(room.asked == (isOurs ? [Room.playMusic] : []))
        }
    }

    @Test func resumesAPlayerThatPausesLate() {
        var room = Room()
        room.dictation(.listening)
        room.dictation(.none)
        room.asked = []
        room.now += .seconds(1)
        room.change { $0?.status = .paused }
        #expect(room.asked == [Room.playMusic])
    }

    @Test func aLatePauseCountsAsTheUsers() {
        var room = Room()
        room.dictation(.listening)
        room.dictation(.none)
        room.asked = []
        room.now += .seconds(6)
        room.change { $0?.status = .paused }
        room.dictation(.none)
        #expect(room.asked.isEmpty)
    }

    @Test func keepsPlayingWhatTheUserStarts() {
        var room = Room()
        room.beginToListen()
        room.change { $0?.status = .playing }
        room.change(Room.video) { $0?.status = .playing }
        room.dictation(DictationActivity(wantsToListen: true))
        room.dictation(.listening)
        #expect(room.asked.isEmpty)
        room.dictation(.none)
        room.dictation(.listening)
        #expect(room.asked.count == 2)
    }

    @Test func pausesAgainAfterAQuickResume() {
        var room = Room()
        room.beginToListen()
        room.dictation(.none)
        room.dictation(.listening)
        #expect(room.asked == [Room.playMusic])
        room.asked = []
        room.change { $0?.status = .playing }
        #expect(room.asked == [Room.pauseMusic])
    }

    @Test func pausesPlayersThatAppearLate() {
        var machine = PlaybackMachine()
        #expect(machine.handle(.dictation(.listening), at: .zero).isEmpty)
        let players = [Room.music: Player(owner: ClientName(":1.1"), status: .playing)]
        #expect(machine.handle(.players(players), at: .zero) == [Room.pauseMusic])
    }

    @Test func reportsWhetherPlaybackIsPaused() {
        var scenario = Scenario()
        #expect(scenario.machine.activity == .none)
        _ = scenario.listen()
        #expect(scenario.machine.activity == .listening)
        scenario.handle(.audio(.inCall))
        #expect(scenario.machine.activity == DictationActivity(wantsToListen: true, blocksPlayback: true))
        scenario.call(.pause)
        #expect(scenario.machine.activity == DictationActivity(blocksPlayback: true))
        scenario.handle(.audio(.desk))
        scenario.call(.stop)
        _ = scenario.listen { $0.pausesPlayback = false }
        #expect(scenario.machine.activity == .none)
    }
}

extension DictationActivity {
    static let none = DictationActivity()
    static let listening = DictationActivity(isListening: true, wantsToListen: true)
}
