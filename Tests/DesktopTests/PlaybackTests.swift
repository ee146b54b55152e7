import Desktop
import DictationCore
import DictationTestKit
import Testing

/// Real players when dictation begins and ends: ``PlaybackMachine`` and ``MediaPlayers`` together.
@Suite struct PlaybackTests {
    static let listening = DictationActivity(isListening: true, wantsToListen: true)
    static let over = DictationActivity()
    /// A call, sleep or the lock screen.
    static let interrupted = DictationActivity(isListening: false, wantsToListen: true, blocksPlayback: true)

    @Test func pausesWhatPlaysAndResumesIt() async throws {
        try await withPlayers { rig in
            let (music, paused) = try await begin(rig)
            await rig.dictation(Self.over)
            try await rig.statuses(["music": .playing, "paused": .paused])
            #expect(try await music.calls() == ["Pause", "Play"])
            #expect(try await paused.calls() == [])
        }
    }

    @Test func resumesNothingDuringAnInterruption() async throws {
        try await withPlayers { rig in
            let (music, _) = try await begin(rig)
            await rig.dictation(Self.interrupted)
            // Stopped during a call: players stay paused until it ends.
            await rig.dictation(DictationActivity(blocksPlayback: true))
            #expect(try await music.calls() == ["Pause"])
            await rig.dictation(Self.over)
            try await rig.statuses(["music": .playing, "paused": .paused])
        }
    }

    @Test(arguments: [false, true]) func leavesAloneWhatTheUserStartsMeanwhile(isInterrupted: Bool)
        async throws
    {
        try await withPlayers { rig in
            let (music, _) = try await begin(rig)
            if isInterrupted { await rig.dictation(Self.interrupted) }
            _ = try await rig.playerctl("--player=music", "play")
            try await rig.statuses(["music": .playing, "paused": .paused])
            _ = try await rig.playerctl("--player=music", "pause")
            try await rig.statuses(["music": .paused, "paused": .paused])
            await rig.dictation(Self.over)
            await rig.players.stop()
            #expect(try await music.calls() == ["Pause", "Play", "Pause"])
        }
    }

    @Test(arguments: [false, true]) func leavesARestartedPlayerAlone(isInterrupted: Bool) async throws {
        try await withPlayers { rig in
            let (music, _) = try await begin(rig)
            if isInterrupted { await rig.dictation(Self.interrupted) }
            try await music.mock.kill()
            try await rig.statuses(["paused": .paused])
            let second = try await rig.player("music", .paused)
            try await rig.statuses(["music": .paused, "paused": .paused])
            await rig.dictation(Self.over)
            await rig.players.stop()
            #expect(try await second.calls() == [])
        }
    }

    @Test(arguments: [false, true]) func aHangingPlayerStopsNothing(isInterrupted: Bool) async throws {
        try await withPlayers { rig in
            let hung = try await rig.player("hung", .playing)
            _ = try await begin(rig, besides: ["hung": .paused])
            try rig.stop(hung)
            if isInterrupted { await rig.dictation(Self.interrupted) }
            await rig.dictation(Self.over)
            try await rig.statuses(["hung": .paused, "music": .playing, "paused": .paused])
            // It is slow, but it was called.
            rig.resume(hung)
            try await rig.statuses(["hung": .playing, "music": .playing, "paused": .paused])
        }
    }

    @Test(arguments: [false, true]) func aKilledPlayerStopsNothing(isInterrupted: Bool) async throws {
        try await withPlayers { rig in
            let killed = try await rig.player("killed", .playing)
            _ = try await begin(rig, besides: ["killed": .paused])
            killed.mock.process.kill()
            if isInterrupted { await rig.dictation(Self.interrupted) }
            await rig.dictation(Self.over)
            try await rig.statuses(["music": .playing, "paused": .paused])
        }
    }

    /// Dictation begins to listen while one player plays and another does not.
    private func begin(
        _ rig: PlayerRig, besides others: [String: Player.Status] = [:]
    ) async throws -> (music: MockPlayer, paused: MockPlayer) {
        let music = try await rig.player("music", .playing)
        let paused = try await rig.player("paused", .paused)
        await rig.players.start()
        try await eventually("all are told") { rig.history.last?.count == 2 + others.count }
        await rig.dictation(Self.listening)
        try await rig.statuses(others.merging(["music": .paused, "paused": .paused]) { $1 })
        return (music, paused)
    }
}
