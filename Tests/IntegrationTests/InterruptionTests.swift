import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Glibc
import Testing

/// Interruptions and resumption with the real daemon and real causes.
@Suite struct InterruptionTests {
    /// A session that listens, and its signals since.
    private func listening(_ rig: Rig) async throws -> TestClient {
        let client = try await TestClient(on: rig)
        _ = try await client.dictation.start(options: [:])
        try await client.state("listening")
        return client
    }

    /// The time limit for the service's reactions. It promises 100 ms; the test machine is busy.
    private static let reaction: Duration = .seconds(1)

    /// Does something, and waits until it has interrupted the session.
    private func interrupted(
        _ client: TestClient, by wanted: String, within limit: Duration? = nil,
        when action: () async throws -> Void
    ) async throws {
        client.beginStep()
        let start = ContinuousClock.now
        try await action()
        try await client.signal("Interrupted by \(wanted)") { signal in
            if case .interrupted(_, wanted, _) = signal { true } else { nil }
        }
        if let limit { #expect(.now - start <= limit, "Interrupted by \(wanted)") }
    }

    /// Does something, and waits until the session listens again.
    private func resumed(
        _ client: TestClient, after wanted: String, when action: () async throws -> Void
    ) async throws {
        client.beginStep()
        try await action()
        try await client.signal("Resumed after \(wanted)") { signal in
            if case .resumed(_, wanted, _) = signal { true } else { nil }
        }
    }

    /// The same within ``reaction``, and the time for which the microphone was silent.
    private func resumedSoon(
        _ client: TestClient, after wanted: String, from microphone: DriverMicrophone,
        when action: () async throws -> Void
    ) async throws {
        let (start, abandoned) = (ContinuousClock.now, microphone.abandoned)
        try await resumed(client, after: wanted, when: action)
        let silence = microphone.abandoned > abandoned ? DriverMicrophone.cycleTimeout : .zero
        #expect(.now - start <= Self.reaction + silence, "Resumed after \(wanted)")
    }

    /// The same block continues: text after the interruption follows the text before.
    private func expectTheBlockGoesOn(
        _ client: TestClient, _ rig: Rig, _ microphone: DriverMicrophone
    )
        async throws
    {
        try await rig.say(Speech.tones(900), into: microphone)
        try await client.signal("the next words") { _ in
            client.text(of: 1).contains("t900") ? true : nil
        }
        #expect(try await client.dictation.commit().text == "t500 t900")
    }

    @Test(arguments: [
        ("Communication", "Phone"), ("Music", "ZOOM VoiceEngine"), ("Music", "Firefox"),
    ])
    func aCallGetsTheMicrophone(role: String, application: String) async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await listening(rig)
            try await rig.say(Speech.tones(500), into: microphone)
            // Without the time that a program takes to start.
            var call: CorkableRecorder? = try CorkableRecorder(
                on: rig.audio,
                ["media.role": role, "application.name": application, "node.name": "caller"], isCorked: true)
            try await eventually("the call is on hold") {
                try await rig.audio.graph().links("microphone", to: "caller")
            }
            try await interrupted(client, by: "call", within: Self.reaction) { call?.cork(false) }
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            try await resumedSoon(client, after: "call", from: microphone) { call = nil }
            try await expectTheBlockGoesOn(client, rig, microphone)
        }
    }

    @Test(arguments: [
        ["application.name": "Recorder"], ["stream.capture.sink": "true"],
    ])
    func anotherRecorderDoesNotInterrupt(properties: [String: String]) async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            try await rig.audio.addSink("speaker")
            let client = try await listening(rig)
            let recorder = try rig.audio.record(properties.merging(["node.name": "recorder"]) { $1 })
            try await eventually("the recorder runs") {
                try await rig.audio.graph().nodes(named: "recorder").contains { $0.state == "running" }
            }
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await client.dictation.commit().text == "t500")
            #expect(!client.signals.contains { if case .interrupted = $0 { true } else { false } })
            recorder.kill()
        }
    }

    @Test func resumesWhenTheMicrophoneReturns() async throws {
        try await withRig(tones) { rig in
            let client = try await TestClient(on: rig)
            let first = try await rig.plugIn()
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: first)
            try await client.signal("the first words") { _ in
                client.text(of: 1).contains("t500") ? true : nil
            }
            try await interrupted(client, by: "no-source", within: Self.reaction) { first.unplug() }
            var second = first
            try await resumed(client, after: "no-source") { second = try await rig.plugIn() }
            try await expectTheBlockGoesOn(client, rig, second)
        }
    }

    @Test func resumesAfterTheAudioServerRestarts() async throws {
        try await withRig(tones) { rig in
            let first = try await rig.plugIn()
            let client = try await listening(rig)
            try await rig.say(Speech.tones(500), into: first)
            try await client.signal("the first words") { _ in
                client.text(of: 1).contains("t500") ? true : nil
            }
            try await interrupted(client, by: "audio-server-lost", within: Self.reaction) {
                try await rig.audio.kill()
            }
            client.beginStep()
            try await rig.audio.start()
            let second = try await rig.plugIn("another")
            let details = try await client.signal("Resumed") { signal in
                if case .resumed(_, _, let details) = signal { details } else { nil }
            }
            let rebuilt: [Value] = [.string("audio-server"), .string("capture")]
            #expect(details[DetailKey.rebuilt] == .array(rebuilt, of: "s"))
            #expect(details[DetailKey.dropouts] != nil)
            try await expectTheBlockGoesOn(client, rig, second)
        }
    }

    @Test func latestStartGetsTheMicrophoneAndReturnsIt() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let first = try await listening(rig)
            try await rig.say(Speech.tones(500), into: microphone)
            let second = try await TestClient(on: rig)
            try await interrupted(first, by: "preempted", within: Self.reaction) {
                _ = try await second.dictation.start(options: [:])
            }
            try await second.state("listening")
            try await rig.say(Speech.tones(600), into: microphone)
            #expect(try await second.dictation.commit().text == "t600")
            try await resumedSoon(first, after: "preempted", from: microphone) {
                try await second.dictation.stop()
            }
            try await expectTheBlockGoesOn(first, rig, microphone)
        }
    }

    @Test func pauseDuringAnInterruptionStaysPaused() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await listening(rig)
            try await rig.say(Speech.tones(500), into: microphone)
            var call: ChildProcess?
            try await interrupted(client, by: "call") {
                call = try rig.audio.record(role: "Communication")
            }
            #expect(try await client.dictation.commit().text == "t500")
            client.beginStep()
            try await client.dictation.pause()
            try await client.state("paused")
            call?.kill()
            // Another session listens only after the service has noticed the end of the call.
            let other = try await listening(rig)
            try await other.dictation.stop()
            #expect(try await client.dictation.getSession()["state"] == .string("paused"))
            #expect(!client.signals.contains { if case .resumed = $0 { true } else { false } })
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
        }
    }

    /// Whether the lock screen reports the lock, or `loginctl` requests it as soon as the session exists.
    @Test(arguments: [false, true]) func hearsNothingWhileLocked(byOrder: Bool) async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await listening(rig)
            let logind = try await MockLogind(on: rig.bus.address, by: client.connection)
            try await rig.say(Speech.tones(500), into: microphone)
            try await client.signal("the first words") { _ in
                client.text(of: 1).contains("t500") ? true : nil
            }
            try await logind.addSession("c1", of: getuid())
            try await logind.elect("c1", for: getuid())
            try await interrupted(client, by: "session-locked", within: Self.reaction) {
                try await byOrder ? logind.lock("c1") : logind.setLockedHint(true, "c1")
            }
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            try await resumedSoon(client, after: "session-locked", from: microphone) {
                try await byOrder ? logind.unlock("c1") : logind.setLockedHint(false, "c1")
            }
            try await expectTheBlockGoesOn(client, rig, microphone)
        }
    }
}
