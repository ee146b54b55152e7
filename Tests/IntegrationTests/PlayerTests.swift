import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Glibc
import Testing

/// What becomes of real media players when the real daemon listens: all of design §4, "Playback".
@Suite struct PlayerTests {
    /// The ways in which dictation ends.
    enum End: CaseIterable {
        case stop, pause, ownersDeath, call, lock
    }

    /// All players of the table at once, which also shows that they do not affect each other.
    @Test func resumesOnlyPlayersItPaused() async throws {
        try await withRig(tones) { rig in
            try await rig.plugIn()
            let stage = try await Stage(rig)
            for end in End.allCases {
                let client = try await stage.begin()
                try await stage.turnOver()
                try await stage.cease(end, client)
                try await stage.expectOutcome(of: end)
            }
        }
    }

    /// The owner is killed during an interruption: all is closed, and players resume when possible.
    @Test(arguments: ["call", "session-locked", "suspend", "no-source", "preempted"])
    func theOwnerLeavingDuringAnInterruptionClosesEverything(reason: String) async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let observer = try await TestClient(on: rig, listensToAll: false)
            let logind = try await rig.logind(steeredBy: observer)
            let music = try await MockPlayer("music", "Playing", on: rig.bus.address, by: observer.connection)
            try await rig.becomesKnown([music], to: observer)
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await music.becomes("Paused")
            try await rig.becomesKnown([music], to: observer)

            var call: ChildProcess?
            let other = try await TestClient(on: rig)
            switch reason {
            case "call": call = try rig.audio.record(role: "Communication")
            case "session-locked": try await logind.setLockedHint(true, "c1")
            case "suspend": try await logind.prepareForSleep(true)
            case "preempted":
                _ = try await other.dictation.start(options: [:])
                try await other.state("listening")
            default: microphone.unplug()
            }
            try await client.story("Interrupted \(reason)")
            #expect(try await music.calls() == ["Pause"])
            await client.vanish()

            if reason == "preempted" {
                // Another program continues dictating, and wants silence too.
                try await rig.becomesKnown([music], to: observer)
                #expect(try await music.calls() == ["Pause"])
                #expect(try await rig.isCapturing())
                try await other.dictation.stop()
            }
            try await eventually("there is no session") {
                try await observer.dictation.value(of: .state) == .string("idle")
            }
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            try await rig.expectMicrophone(isOpen: false, according: observer)
            #expect(try await observer.dictation.getSession()["state"] == .string("idle"))
            if ["call", "session-locked", "suspend"].contains(reason) {
                try await rig.becomesKnown([music], to: observer)
                #expect(try await music.calls() == ["Pause"])
                call?.kill()
                try await logind.setLockedHint(false, "c1")
                if reason == "suspend" { try await logind.prepareForSleep(false) }
            }
            try await music.becomes("Playing")
            #expect(try await music.calls() == ["Pause", "Play"])
            try await rig.expectMicrophone(isOpen: false, according: observer)
        }
    }

    @Test func playbackContinuesIfRequested() async throws {
        try await withRig(tones) { rig in
            try await rig.plugIn()
            let client = try await TestClient(on: rig)
            let music = try await MockPlayer("music", "Playing", on: rig.bus.address, by: client.connection)
            try await rig.becomesKnown([music], to: client)
            _ = try await client.dictation.start(options: ["playback": .string("mix")])
            try await client.state("listening")
            try await client.dictation.stop()
            try await rig.becomesKnown([music], to: client)
            #expect(try await music.calls() == [])
        }
    }
}

/// The players of the table, by their behaviour during dictation, and a proxy for them all.
private final class Stage {
    private let rig: Rig
    /// Does not dictate itself.
    private let observer: TestClient
    private let logind: MockLogind

    private let playing: MockPlayer
    private let paused: MockPlayer
    private let startedMeanwhile: MockPlayer
    private var restarted: MockPlayer
    private let hung: MockPlayer
    private var killed: MockPlayer
    private let proxy: MockPlayer

    init(_ rig: Rig) async throws {
        self.rig = rig
        observer = try await TestClient(on: rig, listensToAll: false)
        logind = try await rig.logind(steeredBy: observer)
        let (bus, connection) = (rig.bus.address, observer.connection)
        playing = try await MockPlayer("playing", "Playing", on: bus, by: connection)
        paused = try await MockPlayer("paused", "Paused", on: bus, by: connection)
        startedMeanwhile = try await MockPlayer("startedMeanwhile", "Playing", on: bus, by: connection)
        restarted = try await MockPlayer("restarted", "Playing", on: bus, by: connection)
        hung = try await MockPlayer("hung", "Playing", on: bus, by: connection)
        killed = try await MockPlayer("killed", "Playing", on: bus, by: connection)
        proxy = try await MockPlayer("playerctld", "Playing", on: bus, by: connection)
    }

    /// A user plays music and begins to dictate.
    func begin() async throws -> TestClient {
        if !killed.mock.process.isRunning {
            killed = try await MockPlayer(
                "killed", "Playing", on: rig.bus.address, by: observer.connection)
        }
        let thatPlay = [playing, startedMeanwhile, restarted, hung, killed]
        for player in thatPlay + [proxy] { try await player.set("Playing") }
        for player in thatPlay + [paused, proxy] { try await player.forgetCalls() }
        try await rig.becomesKnown(thatPlay + [paused], to: observer)

        let client = try await TestClient(on: rig)
        _ = try await client.dictation.start(options: [:])
        try await client.state("listening")
        for player in thatPlay { try await player.becomes("Paused") }
        try await rig.becomesKnown(thatPlay, to: observer)
        try await rig.expectMicrophone(isOpen: true, according: client)
        return client
    }

    /// The behaviour of the players and their user during dictation.
    func turnOver() async throws {
        _ = try await rig.output(of: ["playerctl", "--player=startedMeanwhile", "play"])
        try await restarted.mock.kill()
        restarted = try await MockPlayer(
            "restarted", "Paused", on: rig.bus.address, by: observer.connection)
        try hung.mock.process.stop()
        try await killed.mock.kill()
        try await rig.becomesKnown([startedMeanwhile, restarted], to: observer)
    }

    /// Dictation ends; during an interruption only after a second one has begun and ended.
    func cease(_ end: PlayerTests.End, _ client: TestClient) async throws {
        switch end {
        case .stop:
            try await client.dictation.stop()
        case .pause:
            try await client.dictation.pause()
        case .ownersDeath:
            await client.vanish()
        case .call:
            try await interrupt(client, "call") {
                let call = try self.rig.audio.record(role: "Communication")
                return { call.kill() }
            }
        case .lock:
            try await interrupt(client, "session-locked") {
                try await self.logind.setLockedHint(true, "c1")
                return { try await self.logind.setLockedHint(false, "c1") }
            }
        }
        try await playing.becomes("Playing")
        // The stopped state of a paused session ends with its connection.
        if end == .pause { await client.vanish() }
    }

    private func interrupt(
        _ client: TestClient, _ reason: String,
        _ begin: () async throws -> () async throws -> Void
    ) async throws {
        let endFirst = try await begin()
        try await client.story("Interrupted \(reason)")
        try await expectQuiet()
        try await endFirst()
        try await client.story("Interrupted \(reason)", "Resumed \(reason)")
        try await expectQuiet()
        client.forget()
        let endSecond = try await begin()
        try await client.story("Interrupted \(reason)")
        try await client.dictation.stop()
        try await expectQuiet()
        try await endSecond()
    }

    /// No player was called to play, or to pause again.
    private func expectQuiet() async throws {
        try await rig.becomesKnown([playing, paused, startedMeanwhile, restarted], to: observer)
        #expect(try await playing.calls() == ["Pause"])
        #expect(try await startedMeanwhile.calls() == ["Pause", "Play"])
        #expect(try await startedMeanwhile.status() == "Playing")
        #expect(try await restarted.calls() == [])
    }

    func expectOutcome(of end: PlayerTests.End) async throws {
        try await eventually("the stream is gone") { try await !rig.isCapturing() }
        try await rig.expectMicrophone(isOpen: false, according: observer)
        // It is slow, but it was called.
        hung.mock.process.send(SIGCONT)
        try await hung.becomes("Playing")
        try await rig.becomesKnown([playing, paused, startedMeanwhile, restarted, hung, proxy], to: observer)
        #expect(try await playing.calls() == ["Pause", "Play"], "\(end)")
        #expect(try await paused.calls() == [], "\(end)")
        // Its user resumed it.
        #expect(try await startedMeanwhile.calls() == ["Pause", "Play"], "\(end)")
        #expect(try await startedMeanwhile.status() == "Playing", "\(end)")
        #expect(try await restarted.calls() == [], "\(end)")
        #expect(try await restarted.status() == "Paused", "\(end)")
        #expect(try await hung.calls() == ["Pause", "Play"], "\(end)")
        #expect(try await proxy.calls() == [], "\(end)")
        #expect(!rig.daemon.text(of: .errors).contains("playerctld"))
    }
}

extension MockPlayer {
    fileprivate func becomes(_ wanted: String) async throws {
        try await eventually("\(name) is \(wanted)") { try await status() == wanted }
    }
}

extension Rig {
    /// Returns when the daemon has seen the players' present state, and they have received its calls: messages arrive
    /// in order.
    fileprivate func becomesKnown(_ players: [MockPlayer], to client: TestClient) async throws {
        for _ in 0..<3 {
            _ = try await client.dictation.getSession()
            for player in players { _ = try await player.status() }
        }
    }
}
