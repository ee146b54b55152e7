import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing

/// `dictation-engine` with a real model, used through the daemon at the pace of real time.
@Suite struct DictationEngineTests {
    private static let readme = repository.appending(path: "README.md")

    private func listen(
        _ body: @Sendable (Rig, DriverMicrophone, EngineProcess) async throws -> Void
    ) async throws {
        let engine = try await EngineProcess(model: "base")
        // The text is the engine's, however busy the machine is.
        try await withRig(secondPass(at: "unix:\(engine.socket)", fallback: "wait")) { rig in
            let microphone = try await rig.plugIn(pace: .realTime)
            let client = try await TestClient(on: rig)
            try await eventually("the engine gives text during speech", within: .seconds(60)) {
                guard case .array(let engines, _) = try await client.dictation.value(of: .engines)
                else { return false }
                return engines.contains { "\($0)".contains("whisper") && "\($0)".contains("live") }
            }
            try await body(rig, microphone, engine)
        }
        engine.process.terminate()
        _ = try await engine.process.exitStatus()
    }

    @Test func wordsAreRightWhileTheyAreSpokenAndAtLast() async throws {
        try await listen { rig, microphone, _ in
            let client = try await TestClient.listening(on: rig)
            let speech = try Speech.john()
            // Up to "leisure to consider how". The speaker pauses until the engine has come so far.
            let beginning = 62_400
            microphone.play(Speech.silence(0.3) + speech.prefix(beginning))
            // PocketSphinx never writes this.
            try await client.signal("the engine's words, before the sentence ends") { _ in
                client.text(of: 1).contains("Mr. John Dashwood") ? true : nil
            }
            microphone.play(speech.dropFirst(beginning) + Speech.silence(0.6))
            try await eventually("all has been said", within: .seconds(30)) {
                client.text(of: 1).contains("to do for them")
            }
            let (_, text, details) = try await client.dictation.commit(timeout: .seconds(60))
            #expect(text.hasSuffix("prudently in his power to do for them."), "\(text)")
            #expect(details["engine"] == .string("whisper"))
            #expect(details["fallback"] == nil)
        }
    }

    @Test func theSpokenLanguageIsDetected() async throws {
        try await listen { rig, microphone, _ in
            let client = try await TestClient(on: rig)
            let german = try await Speech.synthetic(
                "Der Bericht muss bis zum Ende der Woche fertig sein.", voice: "de")
            // The first language is assumed until the spoken one is known.
            let options: [BusText: Value] = [
                "language": .string("en-US"), "languages": Value(["en-US", "de-DE"] as [BusText]),
            ]
            _ = try await client.dictation.start(options: options)
            try await client.state("listening")
            for (speech, tag, words) in [
                (german, "de-DE", "Ende der Woche"), (try Speech.john(), "en-US", "John Dashwood"),
            ] {
                try await rig.say(Speech.silence(0.3) + speech + Speech.silence(0.6), into: microphone)
                let (_, text, details) = try await client.dictation.commit(timeout: .seconds(60))
                #expect(text.contains(words), "\(text)")
                #expect(details["language"] == .string(BusText(tag)))
            }
        }
    }

    /// The README shows what a terminal shows.
    @Test func theReadmeShowsTheTerminal() async throws {
        let readme = try String(contentsOf: Self.readme, encoding: .utf8)
        let lines = readme.split(separator: "\n").drop { $0 != "$ dictation-cli listen" }
            .prefix { $0 != "```" }.filter { $0.contains(" had ") }
        let during = try #require(lines.first)
        let last = try #require(lines.last)
        try #require(during.count < last.count)
        try await listen { rig, microphone, _ in
            let terminal = try PseudoTerminal(
                [executable("dictation-cli"), "--address", rig.bus.address, "listen"],
                environment: rig.environment, columns: 120)
            try await terminal.shows("● Listening")
            try microphone.play(Speech.silence(0.3) + Speech.john() + Speech.silence(5))
            try await terminal.shows(String(last))
            terminal.press("q")
            #expect(try await terminal.exitCode() == 0)
            #expect(last.hasPrefix(during))
        }
    }
}
