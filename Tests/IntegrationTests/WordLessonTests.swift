import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// `dictation-cli words add` with the real service and PocketSphinx.
@Suite(.serialized) struct WordLessonTests {
    private func add(_ words: String..., on rig: Rig) async throws -> (
        status: ChildProcess.ExitStatus, output: String, errors: String
    ) {
        try await ChildProcess.run(
            [executable("dictation-cli"), "words", "add"] + words + ["--address", rig.bus.address],
            environment: rig.environment.merging(["XDG_CONFIG_HOME": ""]) { $1 })
    }

    private func words(_ rig: Rig) -> String {
        (try? String(contentsOfFile: rig.home.path(of: ".config/dictation/dictation.yaml"), encoding: .utf8))
            ?? ""
    }

    private func file(_ text: String, on rig: Rig) async throws -> String {
        let path = rig.home.path(of: "example.wav")
        try WaveFile.write(
            try await Speech.silence(0.5) + Speech.synthetic(text) + Speech.silence(0.5), to: path)
        return path
    }

    @Test func anExampleShowsHowAWordIsSaid() async throws {
        try await withRig { rig in
            for (word, said, sounds) in [
                ("WireGuard", "wire guard", #""WireGuard": ""#),
                ("SQL", "s q l", #"  - "SQL": ""#),
            ] {
                let run = try await add(word, "--example", try await file(said, on: rig), on: rig)
                #expect(run.status == .exited(0), "\(word): \(run.errors)")
                #expect(words(rig).contains(sounds), "\(word): \(words(rig)) \(run.errors)")
                #expect(run.errors.contains("now written: \(word)"), "\(run.errors)")
            }
        }
    }

    /// What a better engine hears is compared too, and is written as the word from then on.
    @Test func anEngineShowsWhatTheWordIsTakenFor() async throws {
        let engines = try TemporaryDirectory()
        let place = "unix:\(engines.path)/engine.sock"
        let server = try await ScriptedEngineServer(at: place, mode: "answer", text: "Engine X.")
        defer { withExtendedLifetime(server) {} }
        let settings = "engine: [better, pocketsphinx]\nengines: [{name: better, wyoming: \"\(place)\"}]\n"
        try await withRig(settings) { rig in
            let run = try await add("nginx", "--example", try await file("engine ex", on: rig), on: rig)
            #expect(run.status == .exited(0), "\(run.errors)")
            #expect(words(rig).contains(#"  - "nginx": "engine x""#), "\(words(rig))")
            #expect(run.errors.contains("now written: nginx."), "\(run.errors)")
        }
    }

    /// No file has the voice.
    @Test func aWordIsSaidIntoTheMicrophone() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn()
            let temporary = try TemporaryDirectory()
            let speaker = try ChildProcess(
                [
                    executable("dictation-cli"), "words", "add", "SQL", "--speak", "--address",
                    rig.bus.address,
                ],
                environment: rig.environment.merging([
                    "XDG_CONFIG_HOME": "", "TMPDIR": temporary.path,
                ]) { $1 })
            try await eventually("it listens") { try await rig.isCapturing() }
            try await rig.say(
                try await Speech.silence(0.5) + Speech.synthetic("s q l") + Speech.silence(2),
                into: microphone)
            #expect(try await speaker.exitStatus() == .exited(0), "\(speaker.text(of: .errors))")
            #expect(words(rig).contains(#"  - "SQL": ""#), "\(words(rig))")
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
        }
    }

    @Test func anExampleOfAnotherWordIsRefused() async throws {
        try await withRig { rig in
            let run = try await add(
                "Kubernetes", "--example", try await file("good morning", on: rig), on: rig)
            #expect(run.status == .exited(65))
            #expect(run.errors.contains("understood as “good"), "\(run.errors)")
            #expect(words(rig).isEmpty)
        }
    }

    @Test func aWordThatCannotBeSpokenIsRefused() async throws {
        try await withRig { rig in
            let run = try await add("дом", on: rig)
            #expect(run.status == .exited(65))
            #expect(run.errors.contains("--sounds-like"), "\(run.errors)")
            #expect(words(rig).isEmpty)
            #expect(try await add("дом", "--sounds-like", "dome", on: rig).status == .exited(0))
            #expect(try await add("Xyzzyq", on: rig).status == .exited(0))
        }
    }

    @Test func aTextOfTheHistoryTeachesAWord() async throws {
        try await withRig("history: 1 day\nhistory-sound: true\n") { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.say(
                Speech.synthetic("we use wireguard for the network") + Speech.silence(0.5), into: microphone)
            let text = try await client.dictation.commit().text
            #expect(!text.contains("WireGuard"))
            try await client.dictation.stop()
            let run = try await add("WireGuard", "--from-history", "1", on: rig)
            #expect(run.status == .exited(0), "\(text): \(run.errors)")
            #expect(words(rig).contains("WireGuard"))
            // The service reads another file here.
            try rig.home.write(
                "history: 1 day\nhistory-sound: true\npermissions: {allow: [\"*\"]}\n" + words(rig),
                to: "dictation.yaml")
            try await eventually("the text is written anew") {
                let again = try await ChildProcess.run(
                    [executable("dictation-cli"), "history", "again", "--address", rig.bus.address],
                    environment: rig.environment)
                return again.output.contains("WireGuard")
            }
            let other = try await add("Kubernetes", "--from-history", "1", on: rig)
            #expect(other.status == .exited(65))
            #expect(other.errors.contains("Nothing in text 1"), "\(other.errors)")
        }
    }
}
