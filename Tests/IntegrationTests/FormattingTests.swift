import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// Written form through the daemon. The scripted engine's words are tones.
@Suite struct FormattingTests {
    private static let settings = tones + "\nreplacements: {t600: \"six hundred\", t800 t900: \"a chord\"}\n"

    /// Two words without a pause between them.
    private static let chord =
        Speech.tone(800, seconds: 0.25) + Speech.tone(900, seconds: 0.25) + Speech.silence(0.5)

    @Test func writesReplacementsAndReportsSpokenWords() async throws {
        try await withRig(Self.settings) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: ["formatting": Value("dictation")])
            try await client.state("listening")
            try await rig.say(Speech.tones(500, 600) + Self.chord, into: microphone)
            let (_, text, details) = try await client.dictation.commit()
            #expect(text == "T500 six hundred a chord")
            #expect(details["spoken"] == .string("t500 t600 t800 t900"))
            #expect(details["initial-capital"] == .bool(true))
        }
    }

    @Test func plainFormattingKeepsTheWords() async throws {
        try await withRig(Self.settings) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500, 600), into: microphone)
            let (_, text, details) = try await client.dictation.commit()
            #expect(text == "t500 t600")
            #expect(details["spoken"] == nil)
        }
    }

    @Test func theConfigurationSetsTheDefault() async throws {
        try await withRig(Self.settings + "formatting: dictation\n") { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await client.dictation.commit().text == "T500")
        }
    }

    @Test func newReplacementsApplyWithoutARestart() async throws {
        try await withRig(Self.settings + "formatting: dictation\n") { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            let rest = tones + "permissions: {allow: [\"*\"]}\n"
            try rig.home.write(rest + "formatting: [wrong]\n", to: "dictation.yaml")
            _ = try await rig.daemon.line(of: .errors) {
                $0.contains("dictation.yaml:3: 'formatting' must be")
            }
            try rig.home.write(
                rest + "formatting: dictation\nreplacements: {t500: anew}\n", to: "dictation.yaml")
            try await eventually("the new replacement holds") {
                _ = try await client.dictation.start(options: [:])
                try await rig.say(Speech.tones(500), into: microphone)
                let text = try await client.dictation.commit().text
                try await client.dictation.stop()
                return text == "anew"
            }
        }
    }

    @Test func aClientsPhraseIsSignalled() async throws {
        try await withRig(Self.settings) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(
                options: ["formatting": Value("dictation"), "phrases": Value(["t700"])])
            try await client.state("listening")
            try await rig.say(Speech.tones(500) + Speech.silence(1), into: microphone)
            try await rig.say(Speech.tones(700) + Speech.silence(1), into: microphone)
            let phrase = try await client.signal("the phrase") { signal in
                if case .command(_, let phrase, _) = signal { phrase } else { nil }
            }
            #expect(phrase == "t700")
            #expect(try await client.dictation.commit().text == "T500")
        }
    }

    @Test func realSpeechIsWritten() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: ["formatting": Value("dictation")])
            try await client.state("listening")
            try await rig.say(Speech.john() + Speech.silence(1), into: microphone)
            try await client.isDecoded()
            let (_, text, details) = try await client.dictation.commit()
            #expect(text.first?.isUppercase == true)
            #expect(text.contains("leisure to consider how much there might be"))
            guard case .string(let spoken) = details["spoken"] else {
                Issue.record("the spoken words are missing")
                return
            }
            #expect(spoken.string.first?.isLowercase == true)
            #expect(spoken.string.hasSuffix("in his power to do for"))
        }
    }

    /// A client that listens to an engine whose answers the test chooses.
    private func listenToAnEngine(
        commands: Bool,
        _ body:
            @Sendable (
                TestClient,
                _ say: @escaping @Sendable (_ answer: String, _ pause: Double) async throws -> Void
            ) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        let place = "unix:\(folder.path)/engine.sock"
        let server = try await ScriptedEngineServer(at: place, text: "Hello there.")
        try await withRig(secondPass(at: place, preview: "scripted")) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(
                options: ["formatting": Value("dictation"), "commands": Value(commands)])
            try await client.state("listening")
            try await body(client) { answer, pause in
                try await server.become("answer", text: answer)
                try await rig.say(Speech.tones(500, 600), into: microphone)
                // Two seconds end the passage. The session may end within them.
                microphone.play(Speech.silence(pause))
            }
        }
    }

    @Test func retractsTextOfAFinishedBlock() async throws {
        try await listenToAnEngine(commands: true) { client, say in
            try await say("One day.", 0)
            #expect(try await client.dictation.commit().text == "One day.")
            try await say("Two days.", 0)
            #expect(try await client.dictation.commit().text == "Two days.")
            for (block, scalars) in [(UInt64(2), UInt64(9)), (1, 8)] {
                client.beginStep()
                try await say("Scratch that.", 0)
                #expect(try await client.dictation.commit().text.isEmpty)
                let retraction = try await client.signal("the retraction") { signal in
                    if case .retracted(_, let block, let offset, let scalars, _) = signal {
                        [block, offset, scalars]
                    } else {
                        nil
                    }
                }
                #expect(retraction == [block, 0, scalars])
            }
            let finals = try await client.dictation.getSession()["finals"]
            #expect(
                finals
                    == .array(
                        [1, 2, 3, 4].map { .structure([.uint64($0), .string("")]) }, of: "(ts)"))
        }
    }

    @Test func blocksAndTheSessionAreEndedByVoice() async throws {
        try await listenToAnEngine(commands: true) { client, say in
            try await say("One day. New block.", 2.5)
            #expect(try await client.final(1) == "One day.")
            try await say("Two days. Stop dictation.", 2.5)
            #expect(try await client.final(2) == "Two days.")
            try await client.signal("the end") { if case .stopped = $0 { true } else { nil } }
        }
    }

    @Test func withoutTheOptionACommandIsText() async throws {
        try await listenToAnEngine(commands: false) { client, say in
            try await say("Scratch that.", 0)
            #expect(try await client.dictation.commit().text == "Scratch that.")
        }
    }

    /// Whether the final engine writes marks itself.
    @Test(arguments: [
        (true, "Send it on March third. Now, comma.", "Send it on March 3. Now,"),
        (false, "send it on march third comma now", "Send it on March 3, now"),
    ])
    func theFinalEnginesTextIsWrittenOnce(punctuates: Bool, answer: String, text: String) async throws {
        let folder = try TemporaryDirectory()
        let place = "unix:\(folder.path)/engine.sock"
        let server = try await ScriptedEngineServer(at: place, text: answer)
        try await withRig(secondPass(at: place, preview: "scripted", punctuates: punctuates)) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: ["formatting": Value("dictation")])
            try await client.state("listening")
            try await rig.say(Speech.tones(500, 600, 700, 800, 900, 1000), into: microphone)
            try await client.signal("the preview") { _ in
                client.text(of: 1).hasPrefix("T500 t600") ? true : nil
            }
            let reply = try await client.dictation.commit()
            #expect(reply.text == text)
            #expect(reply.details["spoken"] == .string(answer))
        }
        _ = server
    }

    @Test(
        arguments: [
            ("formatting", Value("nice"), "plain"), ("commands", Value("yes"), "boolean"),
            ("phrases", Value("send it"), "list of strings"), ("phrases", Value([" "]), "a word"),
            ("phrases", Value([String](repeating: "a", count: 257)), "256"),
            ("phrases", Value([String(repeating: "a", count: 256)]), "255 bytes"),
        ] as [(BusText, Value, String)])
    func wrongOptionsAreRefused(option: BusText, value: Value, message: String) async throws {
        try await withRig(Self.settings) { rig in
            let client = try await TestClient(on: rig)
            let usual: [BusText: Value] = ["formatting": Value("dictation")]
            let options = usual.merging([option: value]) { $1 }
            let error = await #expect(throws: DBusError.self) {
                _ = try await client.dictation.start(options: options)
            }
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
    }
}
