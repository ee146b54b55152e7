import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Glibc
import Testing

/// An engine in another process gives the final text, and the service's own engine gives text at once.
@Suite struct SecondPassTests {
    /// Few words: a tone lasts half a second.
    private static let answer = "Hello there."

    private let folder: TemporaryDirectory
    private var place: String { "unix:\(folder.path)/engine.sock" }

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func listen(
        _ mode: String = "answer", text: String = answer, fallback: String = "preview",
        settings: String = "",
        _ body: @Sendable (Rig, TestClient, DriverMicrophone, ScriptedEngineServer) async throws -> Void
    ) async throws {
        let server = try await ScriptedEngineServer(at: place, mode: mode, text: text)
        let configuration = secondPass(at: place, preview: "scripted", fallback: fallback) + settings
        try await withRig(configuration) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await body(rig, client, microphone, server)
        }
    }

    @Test func theEnginesTextReplacesThePreviewOnce() async throws {
        try await listen { rig, client, microphone, server in
            microphone.rest()
            try await rig.say(Speech.tones(500, 600, 700), into: microphone)
            try await client.shows("t500 t600 t700")
            // Silence ends the passage, without a commit.
            try await rig.say(Speech.silence(3), into: microphone)
            try await client.signal("the engine's text") { _ in
                client.text(of: 1) == Self.answer ? true : nil
            }
            try await rig.say(Speech.tones(800), into: microphone)
            let (_, text, details) = try await client.dictation.commit()
            #expect(text == "\(Self.answer) \(Self.answer)")
            #expect(details["engine"] == .string("whisper"))
            #expect(details["fallback"] == nil)
            #expect(details["words"] == nil)
            #expect(try await server.count(of: "audio") == 2)
            // Stable text never changed, and came only from the engine.
            let stable = client.signals.compactMap { signal in
                if case .partial(_, _, _, let stable, _, _) = signal { stable } else { nil }
            }
            #expect("\(Self.answer) \(Self.answer)".hasPrefix(stable.joined()))
        }
    }

    /// Loud enough for the detector of speech, and too short for a tone.
    private func knock() -> [Int16] {
        var random = TestRandom()
        return (0..<960).map { _ in Int16.random(in: -3000...3000, using: &random) } + Speech.silence(0.5)
    }

    /// With a preview engine, and for a language that has none.
    @Test(arguments: ["en-US", "de-DE"]) func aKnockHasNoText(_ language: String) async throws {
        let server = try await ScriptedEngineServer(at: place, text: "Vielen Dank.", detectsSpeech: false)
        try await withRig(secondPass(at: place, preview: "scripted")) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig, ["language": .string(language)])
            try await rig.say(knock(), into: microphone)
            let (_, text, details) = try await client.dictation.commit()
            #expect(text.isEmpty)
            #expect(details["noise"] == .uint32(1))
            #expect(try await server.count(of: "audio") == 0)
        }
    }

    /// The preview engine hears no word where the engine hears some.
    @Test(arguments: ["Bye.", "Thank you.", "You."]) func whatThePreviewMissesIsKept(_ words: String)
        async throws
    {
        let server = try await ScriptedEngineServer(at: place, text: words, detectsSpeech: false)
        try await withRig(secondPass(at: place, preview: "scripted")) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.say(try Speech.john(), into: microphone)
            let (_, text, details) = try await client.dictation.commit()
            #expect(text == words)
            #expect(details["engine"] == .string("whisper"))
            #expect(details["noise"] == nil)
            #expect(try await server.count(of: "audio") == 1)
        }
    }

    /// Seventeen words are not two, and no caption of a film.
    @Test(arguments: ["Thank you.", "[Music]", "(upbeat music)", "[BLANK_AUDIO]", ""])
    func thePreviewStaysWhereTheEngineMissesSpeech(_ words: String) async throws {
        let server = try await ScriptedEngineServer(at: place, text: words, detectsSpeech: false)
        try await withRig(secondPass(at: place)) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.say(try Speech.john() + Speech.silence(0.5), into: microphone)
            let (_, text, details) = try await client.dictation.commit()
            #expect(text.split(separator: " ").count >= 15, "\(text)")
            #expect(details["engine"] == .string("pocketsphinx"))
            #expect(details["model"] == .string("en-US"))
            #expect(try await server.count(of: "audio") == 1)
        }
    }

    /// The model for one region serves the others; a server that names no language serves all.
    @Test func anotherRegionHasLiveTextAndTheModelIsNamed() async throws {
        let server = try await ScriptedEngineServer(at: place, text: Self.answer, namesLanguages: false)
        try await withRig(secondPass(at: place, preview: "scripted")) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig, ["language": .string("en-GB")])
            microphone.rest()
            try await rig.say(Speech.tones(500), into: microphone)
            try await client.shows("t500")
            let (_, text, details) = try await client.dictation.commit()
            #expect(text == Self.answer)
            #expect(details["language"] == .string("en-GB"))
            #expect(details["model"] == .string("en"))
            #expect(try await server.count(of: "transcribe en ") == 1)
            try await client.dictation.stop()
            client.beginStep()
            _ = try await client.dictation.start(
                options: ["language": .string("en-AU"), "engine": .string("scripted")])
            // Before, the microphone may still be read for the session that has ended.
            try await client.state("listening")
            try await rig.say(Speech.tones(600), into: microphone)
            let (_, own, ownDetails) = try await client.dictation.commit()
            #expect(own == "t600")
            #expect(ownDetails["model"] == .string("en-US"))
        }
    }

    @Test func pluckedNotesHaveNoText() async throws {
        try await withRig("engine: pocketsphinx\n") { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.say(Speech.pluckedNotes(seconds: 20) + Speech.silence(0.5), into: microphone)
            // PocketSphinx takes as long as the notes on a busy machine.
            let (_, text, details) = try await client.dictation.commit(timeout: .seconds(90))
            #expect(text.isEmpty, "\(text)")
            #expect(details["noise"] != nil)
            #expect(client.texts.allSatisfy { $0.isEmpty })
        }
    }

    @Test(arguments: ["close", "garbage", "negative", "huge", "deltas", "error", "killed-mid-answer"])
    func thePreviewStaysWhereTheEngineFails(_ mode: String) async throws {
        try await listen(mode) { rig, client, microphone, server in
            try await rig.say(Speech.tones(500, 600), into: microphone)
            let start = ContinuousClock.now
            let (_, text, details) = try await client.dictation.commit()
            #expect(ContinuousClock.now - start < .seconds(6))
            #expect(text == "t500 t600")
            #expect(details["engine"] == .string("scripted"))
            #expect(details["fallback"] == .uint32(1))
            try await client.comes("Error EngineFailed")
            #expect(client.story.count { $0 == "Error EngineFailed" } == 1)
            try await rig.say(Speech.tones(700), into: microphone)
            #expect(try await client.dictation.commit().text == "t700")
        }
    }

    @Test func aCommitWaitsAsLongAsConfiguredForAStoppedEngine() async throws {
        try await listen(settings: "engine-wait: 2\n") { rig, client, microphone, server in
            try server.process.stop()
            try await rig.say(Speech.tones(500), into: microphone)
            let start = ContinuousClock.now
            let (_, text, details) = try await client.dictation.commit()
            let took = ContinuousClock.now - start
            #expect(took >= .seconds(1.9) && took < .seconds(4))
            #expect(text == "t500")
            #expect(details["fallback"] == .uint32(1))
            // Others need not wait for it again.
            try await rig.say(Speech.tones(600), into: microphone)
            let next = ContinuousClock.now
            #expect(try await client.dictation.commit().text == "t600")
            #expect(ContinuousClock.now - next < .seconds(1.5))
            server.process.send(SIGCONT)
            try await eventually("it recognises") { try await engine(of: client)["available"] == .bool(true) }
            try await rig.say(Speech.tones(700), into: microphone)
            #expect(try await client.dictation.commit().text == Self.answer)
        }
    }

    /// It describes itself, and never answers a request.
    @Test func anEngineThatHangsDelaysOneCommit() async throws {
        try await listen("hang", settings: "engine-wait: 2\n") { rig, client, microphone, server in
            var waits = 0
            for tone in [500, 600, 700, 800] {
                try await rig.say(Speech.tones(tone), into: microphone)
                let start = ContinuousClock.now
                #expect(try await client.dictation.commit().text == "t\(tone)")
                if ContinuousClock.now - start > .seconds(1.5) { waits += 1 }
            }
            #expect(waits == 1)
            #expect(client.story.count { $0 == "Error EngineFailed" } == 1)
            #expect(try await engine(of: client)["available"] == .bool(false))
            try await server.become("answer", text: Self.answer)
            try await eventually("it recognises", within: .seconds(60)) {
                try await engine(of: client)["available"] == .bool(true)
            }
        }
    }

    @Test func anEngineThatComesBackIsUsedAgain() async throws {
        try await listen { rig, client, microphone, server in
            server.process.kill()
            _ = try await server.process.exitStatus()
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await client.dictation.commit().text == "t500")
            try await client.comes("Error EngineFailed")
            try await eventually("the property tells") {
                try await engine(of: client)["available"] == .bool(false)
            }
            let next = try await ScriptedEngineServer(at: place, text: Self.answer)
            try await eventually("it is asked what it is") { try await next.count(of: "describe") > 0 }
            try await eventually("it is available") {
                try await engine(of: client)["available"] == .bool(true)
            }
            try await rig.say(Speech.tones(600), into: microphone)
            #expect(try await client.dictation.commit().text == Self.answer)
            #expect(client.story.count { $0 == "Error EngineFailed" } == 1)
        }
    }

    @Test func textWaitsForTheEngineIfConfigured() async throws {
        try await listen("close", fallback: "wait") { rig, client, microphone, server in
            try await rig.say(Speech.tones(500), into: microphone)
            async let commit = client.dictation.commit()
            try await client.comes("Error EngineFailed")
            try await server.become("answer")
            #expect(try await commit.text == Self.answer)
        }
    }

    @Test func aLanguageWithoutPreviewWorks() async throws {
        let server = try await ScriptedEngineServer(at: place, text: "Guten Tag.")
        try await withRig(secondPass(at: place, preview: "scripted")) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig, ["language": .string("de-DE")])
            try await rig.say(Speech.tones(500), into: microphone)
            let (_, text, details) = try await client.dictation.commit()
            #expect(text == "Guten Tag.")
            #expect(details["engine"] == .string("whisper"))
            #expect(client.texts.allSatisfy { !$0.contains("t500") })
            #expect(try await server.count(of: "audio") == 1)
            try await client.dictation.stop()
            await #expect(throws: (any Error).self) {
                _ = try await client.dictation.start(options: ["language": .string("xx")])
            }
        }
    }

    @Test func cancelSendsNothing() async throws {
        try await listen { rig, client, microphone, server in
            try await rig.say(Speech.tones(500), into: microphone)
            _ = try await client.dictation.cancel()
            try await rig.say(Speech.tones(600), into: microphone)
            #expect(try await client.dictation.commit().text == Self.answer)
            #expect(try await server.count(of: "audio") == 1)
        }
    }

    /// The embedded engine takes its place, and the service says so until it is back.
    @Test func anEngineThatDoesNotAnswerIsReplacedHoweverItIsChosen() async throws {
        try await withRig(secondPass(at: place, preview: "scripted")) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            try await eventually("it is known to be away") {
                try await engine(of: client)["available"] == .bool(false)
            }
            #expect(try await engine(of: client)["preferred"] == .bool(true))
            for options: [BusText: Value] in [["engine": .string("whisper")], [:]] {
                _ = try await client.dictation.start(options: options)
                try await eventually("it listens") {
                    try await client.dictation.value(of: .state) == .string("listening")
                }
                try await rig.say(Speech.tones(500), into: microphone)
                let (_, text, details) = try await client.dictation.commit()
                #expect(text == "t500")
                #expect(details["engine"] == .string("scripted"))
                #expect(details["fallback"] == .uint32(1))
                try await client.dictation.stop()
            }
            let server = try await ScriptedEngineServer(at: place, text: Self.answer)
            try await eventually("it is available") {
                try await engine(of: client)["available"] == .bool(true)
            }
            _ = try await client.dictation.start(options: ["engine": .string("whisper")])
            try await eventually("it listens again") {
                try await client.dictation.value(of: .state) == .string("listening")
            }
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await client.dictation.commit().text == Self.answer)
            #expect(try await server.count(of: "audio") == 1)
        }
    }

    private func engine(of client: TestClient) async throws -> [BusText: Value] {
        guard case .array(let engines, _) = try await client.dictation.value(of: .engines) else { return [:] }
        for case .structure(let fields) in engines where fields.first == .string("whisper") {
            return [BusText: Value](fields[1]) ?? [:]
        }
        return [:]
    }
}
