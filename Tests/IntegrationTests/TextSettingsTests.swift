import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Glibc
import Testing

/// The settings that change the text: clean-up and filter.
@Suite struct TextSettingsTests {
    @Test func cleanUpLeavesOutFillersOfAnEngine() async throws {
        let folder = try TemporaryDirectory()
        let place = "unix:\(folder.path)/engine.sock"
        let server = try await ScriptedEngineServer(
            at: place, mode: "answer", text: "Um, I, uh, I think the the cat sleeps.")
        defer { withExtendedLifetime(server) {} }
        let settings = secondPass(at: place, preview: "scripted", fallback: "preview") + "clean-up: fillers\n"
        try await withRig(settings) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.say(Speech.tones(500, 600, 700), into: microphone)
            let (_, text, details) = try await client.dictation.commit()
            #expect(text == "I think the cat sleeps.")
            #expect(details[FinalKey.spoken] == .string("Um, I, uh, I think the the cat sleeps."))
        }
    }

    @Test func theSpokenLanguageCountsWhereACallNamesNone() async throws {
        try await withRig(tones + "language: [de-DE, en-GB]\nspoken-language: en\n") { rig in
            try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            #expect(try await client.dictation.getSession()[SessionKey.language] == .string("en-GB"))
            try await client.dictation.stop()
            // The engine has no German, which comes first of the user's languages.
            await #expect(throws: DBusError.self) {
                try await client.dictation.start(options: ["language": .string("auto")])
            }
        }
    }

    @Test func aFilterChangesTheFinalText() async throws {
        try await withRig(tones + "filter: \"tr t T\"\n") { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.say(Speech.tones(500, 600), into: microphone)
            let (_, text, details) = try await client.dictation.commit()
            #expect(text == "T500 T600")
            #expect(details[FinalKey.unfiltered] == .string("t500 t600"))
            let stable = client.signals.compactMap { signal in
                if case .partial(_, _, _, let stable, _, _) = signal { stable } else { nil }
            }
            #expect(stable.allSatisfy { $0.isEmpty })
            try await client.dictation.stop()
            let next = try await TestClient.listening(on: rig, [StartOption.filter: .bool(false)])
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await next.dictation.commit().text == "t500")
        }
    }

    @Test func whileAFilterRunsOthersAreServedAndItsFailureKeepsTheText() async throws {
        let folder = try TemporaryDirectory()
        let gate = folder.path(of: "gate")
        #expect(mkfifo(gate, 0o600) == 0)
        try await withRig(tones + "filter: \"cat \(gate); exit 4\"\n") { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.say(Speech.tones(500), into: microphone)
            async let committed = client.dictation.commit()
            try await client.signal("the commit is in progress") { signal in
                if case .stateChanged(_, _, "committed", _) = signal { true } else { nil }
            }
            // Other calls are answered, and the next block is recognised.
            try await rig.say(Speech.tones(600), into: microphone)
            try await eventually("the next block has text") { client.text(of: 2) == "t600" }
            #expect(try await client.dictation.getSession()[SessionKey.pending] == .uint32(1))
            let opened = try await ChildProcess.run(["sh", "-c", "echo x >\(gate)"])
            #expect(opened.status == .exited(0))
            let (_, text, details) = try await committed
            #expect(text == "t500")
            #expect(details[FinalKey.filterFailure] == .string("it exited with status 4"))
            // Dictated text is in no log.
            #expect(!rig.daemon.text(of: .errors).contains("t500"))
        }
    }
}
