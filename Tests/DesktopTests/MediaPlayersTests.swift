import DBus
import Desktop
import DictationCore
import DictationTestKit
import Testing

@Suite struct MediaPlayersTests {
    @Test func reportsEveryPlayerAndNotTheProxy() async throws {
        try await withPlayers { rig in
            let music = try await rig.player("music", .playing)
            let stream = try await rig.player("stream", .paused, canPause: false)
            _ = try await rig.player("playerctld", .playing)
            await rig.players.start()
            try await rig.statuses(["music": .playing, "stream": .paused])
            #expect(rig.history.count == 1)
            #expect(rig.player(music)?.canPause == true)
            #expect(rig.player(stream)?.canPause == false)
        }
    }

    @Test func reportsThatThereAreNoPlayers() async throws {
        try await withPlayers { rig in
            await rig.players.start()
            try await rig.statuses([:])
        }
    }

    @Test func followsWhatAnotherClientDoes() async throws {
        try await withPlayers { rig in
            let music = try await rig.player("music", .playing)
            await rig.players.start()
            try await rig.statuses(["music": .playing])
            _ = try await rig.playerctl("--player=music", "pause")
            try await rig.statuses(["music": .paused])
            try await music.set("Stopped")
            try await rig.statuses(["music": .stopped])
        }
    }

    @Test func followsPlayersThatComeAndGo() async throws {
        try await withPlayers { rig in
            await rig.players.start()
            try await rig.statuses([:])
            let first = try await rig.player("music", .playing)
            try await rig.statuses(["music": .playing])
            let owner = rig.player(first)?.owner
            try await first.mock.kill()
            try await rig.statuses([:])
            let second = try await rig.player("music", .paused)
            try await rig.statuses(["music": .paused])
            #expect(rig.player(second)?.owner != owner)
        }
    }

    @Test func pausesAndResumesAPlayer() async throws {
        try await withPlayers { rig in
            let music = try await rig.player("music", .playing)
            await rig.players.start()
            try await rig.statuses(["music": .playing])
            let owner = try #require(rig.player(music)?.owner)
            await rig.players.perform(.pause(PlayerName(music.name), owner: owner))
            try await rig.statuses(["music": .paused])
            #expect(try await rig.playerctl("--player=music", "status") == "Paused")
            await rig.players.perform(.play(PlayerName(music.name), owner: owner))
            try await rig.statuses(["music": .playing])
            #expect(try await music.calls() == ["Pause", "Play"])
        }
    }

    @Test func stoppingWaitsForPendingCalls() async throws {
        try await withPlayers { rig in
            let music = try await rig.player("music", .paused)
            await rig.players.start()
            try await rig.statuses(["music": .paused])
            let owner = try #require(rig.player(music)?.owner)
            await rig.players.perform(.play(PlayerName(music.name), owner: owner))
            await rig.players.stop()
            #expect(try await music.calls() == ["Play"])
        }
    }

    @Test func callsForOneOwnerDoNotReachAnother() async throws {
        try await withPlayers { rig in
            let music = try await rig.player("music", .playing)
            await rig.players.start()
            try await rig.statuses(["music": .playing])
            await rig.players.perform(.pause(PlayerName(music.name), owner: ClientName(":1.9999")))
            await rig.players.perform(
                .pause(PlayerName("org.mpris.MediaPlayer2.gone"), owner: ClientName(":1.9")))
            await rig.players.stop()
            #expect(try await music.calls() == [])
        }
    }

    // MARK: Bad players

    @Test func aHangingPlayerDelaysNoOther() async throws {
        try await withPlayers { rig in
            let hung = try await rig.player("hung", .playing)
            _ = try await rig.player("music", .playing)
            try rig.stop(hung)
            await rig.players.start()
            try await rig.statuses(["music": .playing])
            await rig.dictation(DictationActivity(isListening: true, wantsToListen: true))
            try await rig.statuses(["music": .paused])
            #expect(rig.troubles.map(\.subject) == [hung.name])
            rig.resume(hung)
            try await hung.set("Paused")
            try await rig.statuses(["hung": .paused, "music": .paused])
        }
    }

    @Test func aHangingPlayerTimesOutLikeTheOthers() async throws {
        try await withPlayers { rig in
            let hung = try await rig.player("hung", .playing)
            _ = try await rig.player("music", .playing)
            await rig.players.start()
            try await rig.statuses(["hung": .playing, "music": .playing])
            try rig.stop(hung)
            await rig.dictation(DictationActivity(isListening: true, wantsToListen: true))
            try await rig.statuses(["hung": .playing, "music": .paused])
            await rig.players.stop()
            #expect(rig.troubles.contains { $0.subject == hung.name })
            rig.resume(hung)
        }
    }

    @Test func aPlayerThatOnlyReportsThatItPausedIsResumed() async throws {
        try await withPlayers { rig in
            let liar = try await rig.player("liar", .playing, obeys: false)
            await rig.players.start()
            try await rig.statuses(["liar": .playing])
            await rig.dictation(DictationActivity(isListening: true, wantsToListen: true))
            try await eventually("it was asked") { try await liar.calls() == ["Pause"] }
            await rig.dictation(DictationActivity())
            await rig.players.stop()
            #expect(try await liar.calls() == ["Pause"])
            #expect(rig.history.count == 1)
        }
    }

    @Test func aPlayerWithoutAStatusIsIgnored() async throws {
        try await withPlayers { rig in
            let mute = try await DBusMock(
                "org.mpris.MediaPlayer2.mute",
                ["--session", "org.mpris.MediaPlayer2.mute", "/org/mpris/MediaPlayer2", "org.example.Other"],
                on: rig.bus.address, by: rig.connection)
            _ = try await rig.player("music", .playing)
            await rig.players.start()
            try await rig.statuses(["music": .playing])
            #expect(rig.troubles.map(\.subject) == ["org.mpris.MediaPlayer2.mute"])
            #expect(mute.process.isRunning)
        }
    }
}
