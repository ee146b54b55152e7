import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Glibc
import Testing

/// An engine in another process gives text while somebody speaks. The service's own engine takes over where it does not.
@Suite struct LiveEngineTests {
    private let folder: TemporaryDirectory
    private var place: String { "unix:\(folder.path)/engine.sock" }

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func listen(
        _ mode: String, settings: String = "", options: [BusText: Value] = [:],
        pace: DriverMicrophone.Pace = .brisk,
        _ body: @Sendable (Rig, TestClient, DriverMicrophone, ScriptedEngineServer) async throws -> Void
    ) async throws {
        let server = try await ScriptedEngineServer(at: place, mode: mode)
        try await withRig(secondPass(at: place, preview: "scripted") + settings) { rig in
            let microphone = try await rig.plugIn(pace: pace)
            let client = try await TestClient(on: rig)
            try await eventually("it is known that the engine gives text during speech") {
                try await engine(of: client)["live"] == .bool(true)
            }
            _ = try await client.dictation.start(options: options)
            try await client.state("listening")
            try await body(rig, client, microphone, server)
        }
    }

    /// Says three tones until the engine's text of them is shown, without the last one, which may go on. The service's
    /// own engine recognises it. It takes over from an engine that stands still for 0.6 s, as on a busy machine.
    /// - Parameter settled: how much of the text the engine has settled.
    /// - Returns: the block, and the details of the text.
    private func enginesText(
        _ client: TestClient, _ rig: Rig, _ microphone: DriverMicrophone, settled: Value?
    ) async throws -> (block: UInt64, details: [BusText: Value]) {
        microphone.rest()
        for block: UInt64 in 1...5 {
            try await rig.say(Speech.tones(500, 600, 700) + Speech.silence(0.3), into: microphone)
            let details = try await client.signal("text") { signal -> [BusText: Value]? in
                guard case .partial(_, block, 0, "", let text, let details) = signal else { return nil }
                let isEngines = text == "t500 t600" && details["settled"] == settled
                return isEngines || text.contains("t700") ? details : nil
            }
            if client.texts(of: block).allSatisfy({ !$0.contains("t700") }) { return (block, details) }
            _ = try await client.dictation.cancel()
        }
        throw TestFailure("the service's own engine always takes over: \(client.signals)")
    }

    @Test func theTextOfARevisingEngineIsVolatileUntilItIsFinal() async throws {
        try await listen("revise") { rig, client, microphone, server in
            let (block, details) = try await enginesText(client, rig, microphone, settled: .uint32(4))
            #expect(details["language"] == .string("en-US"))
            // The passage ends in silence, without a commit.
            try await rig.say(Speech.silence(2.5), into: microphone)
            try await client.signal("the final text of the passage") { signal in
                if case .partial(_, block, 0, "T500 t600 t700", "", _) = signal { true } else { nil }
            }
            try await rig.say(Speech.tones(800), into: microphone)
            let (_, text, final) = try await client.dictation.commit()
            #expect(text == "T500 t600 t700 T800")
            #expect(final["engine"] == .string("whisper"))
            #expect(final["language"] == .string("en-US"))
            #expect(final["fallback"] == nil)
        }
    }

    @Test func theTextOfAnAppendingEngineIsVolatileUntilItIsFinal() async throws {
        try await listen("append") { rig, client, microphone, server in
            _ = try await enginesText(client, rig, microphone, settled: nil)
            #expect(try await client.dictation.commit().text == "T500 t600 t700")
        }
    }

    @Test(arguments: [
        "close", "killed", "stopped", "hang", "slow", "garbage", "early", "long", "flood", "error",
    ])
    func noWordIsLostWhereARevisingEngineFailsInMidSentence(_ fault: String) async throws {
        try await listen("revise-" + fault) { rig, client, microphone, server in
            let tones = [500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600]
            for tone in tones { try await rig.say(Speech.tones(tone), into: microphone) }
            // Before any commit, the text goes on.
            try await client.signal("text of what was said after the fault") { _ in
                client.text(of: 1).contains("t1500") ? true : nil
            }
            let (_, text, _) = try await client.dictation.commit(timeout: .seconds(30))
            #expect(text.lowercased() == tones.map { "t\($0)" }.joined(separator: " "))
            let counts = client.texts.map { $0.split(separator: " ").count }
            #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 }, "\(client.texts)")
            server.process.send(SIGCONT)
        }
    }

    @Test func theOwnEngineLeavesWhenTheEngineIsBack() async throws {
        // In real time, because the service looks for the engine after a second.
        try await listen("revise", pace: .spoken) { rig, client, microphone, server in
            microphone.rest()
            microphone.play(
                Speech.tones(500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800))
            try await server.waitFor("partial t500")
            try await client.signal("text") { _ in client.text(of: 1).hasPrefix("t500") ? true : nil }
            server.process.kill()
            _ = try await server.process.exitStatus()
            try await client.signal("text without the engine") { _ in
                client.text(of: 1).hasPrefix("t500 t600 t700") ? true : nil
            }
            let next = try await ScriptedEngineServer(at: place, mode: "revise")
            // It gets the passage from its beginning.
            try await next.waitFor("partial t500 t600 t700")
            try await client.signal("all words") { _ in client.text(of: 1).contains("t1700") ? true : nil }
            let (_, text, details) = try await client.dictation.commit()
            #expect(
                text.lowercased().hasPrefix(
                    "t500 t600 t700 t800 t900 t1000 t1100 t1200 t1300 t1400 t1500 t1600"))
            #expect(details["engine"] == .string("whisper"))
        }
    }

    @Test func cancelClosesTheConnection() async throws {
        try await listen("revise") { rig, client, microphone, server in
            microphone.rest()
            try await rig.say(Speech.tones(500, 600) + Speech.silence(0.3), into: microphone)
            try await server.waitFor("partial t500")
            try await client.signal("text") { _ in client.text(of: 1).hasPrefix("t500") ? true : nil }
            _ = try await client.dictation.cancel()
            try await server.waitFor("gone")
            try await rig.say(Speech.tones(700), into: microphone)
            #expect(try await client.dictation.commit().text == "T700")
            #expect(try await server.count(of: "audio") == 1)
        }
    }

    @Test func aLanguageWithoutAnEngineOfTheServiceHasTextDuringSpeech() async throws {
        try await listen("revise", options: ["language": .string("de-DE")]) {
            rig, client, microphone, server in
            microphone.rest()
            try await rig.say(Speech.tones(500, 600, 700) + Speech.silence(0.3), into: microphone)
            try await client.shows("t500 t600")
            #expect(try await client.dictation.commit().text == "T500 t600 t700")
        }
    }

    @Test func theLanguageIsDetectedAmongThoseOfTheUser() async throws {
        try await listen("revise", settings: "language: [de-DE, en-GB, xx]\n") {
            rig, client, microphone, server in
            try await rig.say(Speech.tones(500, 600, 700), into: microphone)
            try await server.waitFor("languages de,en")
            // The engine says "en".
            let (_, _, details) = try await client.dictation.commit()
            #expect(details["language"] == .string("en-GB"))
            try await client.dictation.stop()
            let asked: [BusText: Value] = [
                "language": .string("en-US"), "languages": Value(["en-US", "de-AT"] as [BusText]),
            ]
            client.beginStep()
            _ = try await client.dictation.start(options: asked)
            try await client.state("listening")
            try await rig.say(Speech.tones(500, 600), into: microphone)
            try await server.waitFor("languages en,de")
            #expect(try await client.dictation.commit().details["language"] == .string("en-US"))
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
