import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

/// Grammars and vocabularies of clients: refused if they cannot be used, and harmless otherwise.
@Suite struct VocabularyTests {
    private static let header = "#JSGF V1.0;\ngrammar test;\n"

    private func refusal(_ client: TestClient, _ options: [BusText: Value]) async -> DBusError? {
        do {
            // The first word that is not in the dictionary takes seconds.
            _ = try await client.dictation.start(options: options, timeout: .seconds(120))
            return nil
        } catch let error as DBusError {
            return error
        } catch {
            return DBusError(.failed, "\(error)")
        }
    }

    @Test func refusesAnInvalidGrammarWithItsPlace() async throws {
        try await withRig { rig in
            try await rig.plugIn()
            let client = try await TestClient(on: rig)
            let doubling =
                "public <r0> = <r1> <r1>;" + (1..<40).map { "<r\($0)> = <r\($0 + 1)> <r\($0 + 1)>;" }.joined()
                + "<r40> = yes;"
            for (rules, place) in [
                (doubling, "line 3"),
                ("public <a> = " + String(repeating: "[yes]", count: 360) + ";", "line 3"),
                ("public <a> = go <missing>;", "line 3, column 17"),
                ("public <a> = go\nxyzzyplugh;", "line 4, column 1: 'xyzzyplugh'"),
            ] {
                let error = await refusal(client, ["grammar": .string(Self.header + rules)])
                #expect(error?.name == ErrorName("org.freedesktop.DBus.Error.InvalidArgs"))
                #expect(error?.message.contains(place) == true, "\(error?.message ?? "accepted")")
            }
            #expect(try await !rig.isCapturing())
            #expect(client.signals.isEmpty)
        }
    }

    @Test func refusesWordsThatCannotBeSaid() async throws {
        try await withRig { rig in
            let client = try await TestClient(on: rig)
            func entry(_ word: String, _ phones: String) -> Value {
                .structure([.string(word), .string(phones)])
            }
            let mixed = Value.array(
                [entry("kubernetes", "K UW B ER N EH T IY Z"), entry("xyzzy2plugh", "")], of: "(ss)")
            for vocabulary in [Value(["xyzzy2plugh"]), mixed] {
                let error = await refusal(client, ["vocabulary": vocabulary])
                #expect(error?.name == ErrorName("org.freedesktop.DBus.Error.InvalidArgs"))
                #expect(error?.message.contains("'xyzzy2plugh'") == true, "\(error?.message ?? "accepted")")
            }
        }
    }

    /// The limit holds for every engine, also for one that would take more.
    @Test(arguments: ["pocketsphinx", "scripted"])
    func refusesMoreThanThousandWords(engine: String) async throws {
        try await withRig { rig in
            let client = try await TestClient(on: rig)
            let words = (0...StartOption.wordLimit).map { "word\($0)" }
            let error = await refusal(client, ["engine": .string(engine), "vocabulary": Value(words)])
            #expect(error?.name == ErrorName("org.freedesktop.DBus.Error.InvalidArgs"))
            let message = error?.message ?? "accepted"
            #expect(message.contains("at most 1000 words, not 1001"), "\(message)")
        }
    }

    /// A client's words without phones that are not in the dictionary.
    @Test func recognisesAnUnknownWordByItsSpelling() async throws {
        try await withRig { rig in
            let samples = try await Speech.synthetic("we use wireguard for the network")
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            for (vocabulary, isFound) in [([], false), (["wireguard"], true)] as [([String], Bool)] {
                client.beginStep()
                _ = try await client.dictation.start(
                    options: ["vocabulary": Value(vocabulary)], timeout: .seconds(60))
                let session = try await client.dictation.getSession()
                if isFound, case .array(let entries, _) = session["vocabulary"] {
                    #expect(entries.count == 3)
                } else {
                    #expect(session["vocabulary"] == nil)
                }
                try await client.state("listening")
                try await rig.say(samples + Speech.silence(0.5), into: microphone)
                let text = try await client.dictation.commit().text
                #expect(text.contains("wireguard") == isFound, "\(text)")
                try await client.dictation.stop()
                // A decoder takes other words without being loaded again.
                #expect(try rig.threads(named: "decoder") == 1)
            }
            // The user's own words need no call. One of them is unusable.
            try rig.home.write(
                "permissions: {allow: [\"*\"]}\nwords: [WireGuard, {x2y: дом}]\n", to: "dictation.yaml")
            try await eventually("the words of the configuration hold") {
                client.beginStep()
                _ = try await client.dictation.start(options: [:], timeout: .seconds(60))
                let session = try await client.dictation.getSession()
                if session["vocabulary"] == nil { try await client.dictation.stop() }
                return session["vocabulary"] != nil
            }
            try await client.state("listening")
            try await rig.say(samples + Speech.silence(0.5), into: microphone)
            let text = try await client.dictation.commit().text
            #expect(text.contains("WireGuard"), "\(text)")
        }
    }

    @Test func callsAfterStartWaitForTheGrammar() async throws {
        try await withRig { rig in
            // Pause is sent before Start is answered.
            let program = """
                import dbus, dbus.lowlevel, sys
                bus = dbus.bus.BusConnection(sys.argv[1])
                name, path = "org.example.Dictation", "/org/example/Dictation"
                start = dbus.lowlevel.MethodCallMessage(name, path, name, "Start")
                grammar = "#JSGF V1.0; grammar g; public <a> = go forward;"
                start.append(dbus.Dictionary({"grammar": grammar}, signature="sv"), signature="a{sv}")
                bus.send_message(start)
                bus.call_blocking(name, path, name, "Pause", "", ())
                print(bus.call_blocking(name, path, name, "GetSession", "", ())["state"])
                """
            let state = try await rig.output(of: ["/usr/bin/python3", "-c", program, rig.bus.address])
            #expect(state == "paused")
        }
    }

    @Test func transcribeFailsWithAnError() async throws {
        try await withRig { rig in
            let result = try await ChildProcess.run(
                [
                    executable("dictation-cli"), "--address", rig.bus.address, "transcribe", "--word",
                    "Xyzzy2plugh",
                    "\(WaveFile.speech)/librivox/sense_and_sensibility_01_austen_64kb-0870.wav",
                ], environment: rig.environment)
            #expect(result.status == .exited(64))
            #expect(result.errors.contains("'Xyzzy2plugh'"), "\(result.errors)")
            #expect(result.output.isEmpty)
        }
    }

    /// A word that sounds like a part of what is said becomes the context of the next word. With SphinxBase's own way to
    /// add words, this lookup reads outside of the model, and the process ended by SIGSEGV within four utterances.
    /// `packaging/soak vocabulary` takes 500.
    @Test(arguments: UnknownWords.allCases)
    func recognisesThirtyUnknownWords(_ unknown: UnknownWords) async throws {
        let utterances =
            ProcessInfo.processInfo.environment["DICTATION_SOAK_UTTERANCES"].flatMap(Int.init) ?? 8
        try await withRig { rig in
            let sentence = try WaveFile.rawSamples(of: "\(WaveFile.speech)/goforward.raw")
            let file = rig.home.path(of: "many.wav")
            try WaveFile.write(
                Array((0..<utterances).map { _ in sentence + Speech.silence(0.3) }.joined()), to: file)
            let words = unknown.pronunciations.enumerated().map { index, phones in
                Value.structure([.string("unknown\(index)"), .string(phones)])
            }
            #expect(words.count == 30)
            let client = try await TestClient(on: rig)
            let reading = try Descriptor(owning: FileHandle.open(file))
            _ = try await client.dictation.start(options: [
                "input": .descriptor(reading), "vocabulary": .array(words, of: "(ss)"),
            ])
            try await eventually("all is transcribed", within: .seconds(60 + utterances)) {
                client.finals == [1]
            }
            let text = try await client.final(1)
            switch unknown {
            case .unlikeSpeech:
                let understood = text.components(separatedBy: "go forward ten meters").count - 1
                #expect(understood >= utterances * 9 / 10, "\(understood) of \(utterances)")
            case .partsOfSpeech:
                let understood = text.split(separator: " ").filter { $0.hasPrefix("unknown") }.count
                #expect(understood >= utterances * 2, "\(understood) in \(utterances)")
            }
            #expect(client.story.isEmpty)
        }
    }
}

/// Thirty words that the model does not have, spoken with "go forward ten meters".
enum UnknownWords: CaseIterable {
    case unlikeSpeech, partsOfSpeech

    /// Phones of the CMU dictionary, separated by spaces.
    var pronunciations: [String] {
        switch self {
        case .unlikeSpeech:
            let vowels = ["AA", "AE", "AH", "AO", "AW", "AY"]
            return (0..<30).map { "K \(vowels[$0 % 6]) B ER \(vowels[$0 / 6]) T IY Z" }
        case .partsOfSpeech:
            let phones = "G OW F AO R W ER D T EH N M IY T ER Z".split(separator: " ")
            // Two to five neighbouring phones, from everywhere in the sentence.
            let parts = (2...5).flatMap { length in
                (0...phones.count - length).map { phones[$0..<$0 + length].joined(separator: " ") }
            }
            return Array(parts.prefix(30))
        }
    }
}

extension Rig {
    fileprivate func threads(named name: String) throws -> Int {
        let folder = "/proc/\(try workerPid())/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { thread in
            // One that ends meanwhile does not count.
            let comm = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
            return comm == name + "\n"
        }
    }
}

extension FileHandle {
    fileprivate static func open(_ path: String) throws -> Int32 {
        let handle = try FileHandle(forReadingFrom: URL(filePath: path))
        return dup(handle.fileDescriptor)
    }
}
