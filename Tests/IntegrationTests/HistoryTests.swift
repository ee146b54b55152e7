import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Testing

/// The user's history, with the real service and `dictation-cli`.
@Suite struct HistoryTests {
    private static let kept = tones + "history: 7 days\n"

    private func cli(_ words: String..., on rig: Rig, exits status: Int32 = 0) async throws -> String {
        let result = try await ChildProcess.run(
            [executable("dictation-cli"), "history"] + words + ["--address", rig.bus.address],
            environment: rig.environment)
        #expect(result.status == .exited(status), "\(words): \(result.errors)")
        return result.output
    }

    private func texts(_ rig: Rig) async throws -> [String] {
        let json = try JSONSerialization.jsonObject(
            with: Data(try await cli("list", "--json", on: rig).utf8))
        let entries = (json as? [String: Any])?["texts"] as? [[String: Any]] ?? []
        return entries.compactMap { $0["text"] as? String }
    }

    private func folder(_ rig: Rig) -> String { rig.home.path(of: ".local/state/dictation/history") }

    private func files(_ rig: Rig) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder(rig))) ?? []).sorted()
    }

    private func dictate(
        _ sound: [Int16], on rig: Rig, _ microphone: DriverMicrophone, options: [BusText: Value] = [:]
    ) async throws {
        let client = try await TestClient.listening(on: rig, options)
        try await rig.say(sound, into: microphone)
        _ = try await client.dictation.commit()
        try await client.dictation.stop()
    }

    @Test func nothingIsKeptByDefault() async throws {
        try await withRig(tones) { rig in
            try await dictate(Speech.tones(500), on: rig, try await rig.plugIn())
            #expect(try await texts(rig).isEmpty)
            #expect(try await cli("list", on: rig) == "")
            #expect(files(rig).isEmpty)
        }
    }

    @Test func textsOutliveTheServiceAndAreErasedOnDemand() async throws {
        try await withRig(Self.kept) { rig in
            let microphone = try await rig.plugIn()
            try await dictate(Speech.tones(500, 600), on: rig, microphone)
            try await dictate(
                Speech.tones(700), on: rig, microphone, options: [StartOption.history: .bool(false)])
            try await dictate(Speech.tones(800), on: rig, microphone)
            #expect(try await texts(rig) == ["t800", "t500 t600"])
            #expect(try await cli("show", "1", on: rig) == "t500 t600\n")
            #expect(try await cli("show", on: rig) == "t800\n")
            try await SchemaCheck.check(try await cli("list", "--json", on: rig), against: "history")
            try await SchemaCheck.check(try await cli("show", "--json", on: rig), against: "history-text")
            try await rig.restart()
            #expect(try await texts(rig) == ["t800", "t500 t600"])
            _ = try await cli("forget", "1", on: rig)
            #expect(try await texts(rig) == ["t800"])
            let bytes = try Data(contentsOf: URL(filePath: folder(rig) + "/texts"))
            #expect(bytes.range(of: Data("t600".utf8)) == nil)
            _ = try await cli("show", "1", on: rig, exits: 64)
            _ = try await cli("forget", "--all", on: rig)
            #expect(try await texts(rig).isEmpty)
        }
    }

    @Test func turningItOffErasesItAtOnce() async throws {
        try await withRig(Self.kept) { rig in
            try await dictate(Speech.tones(500), on: rig, try await rig.plugIn())
            #expect(try await texts(rig) == ["t500"])
            // A file with an error changes nothing.
            try rig.home.write(
                tones + "history: sometimes\npermissions:\n  allow: [\"*\"]\n", to: "dictation.yaml")
            _ = try await rig.daemon.line(of: .errors) { $0.contains("the configuration was not read again") }
            #expect(try await texts(rig) == ["t500"])
            try rig.home.write(tones + "history: off\npermissions:\n  allow: [\"*\"]\n", to: "dictation.yaml")
            try await eventually("it is erased") { files(rig).isEmpty }
            #expect(try await texts(rig).isEmpty)
        }
    }

    @Test func soundThatWasKeptIsRecognisedAgain() async throws {
        let engines = try TemporaryDirectory()
        let place = "unix:\(engines.path)/engine.sock"
        let server = try await ScriptedEngineServer(at: place, mode: "answer", text: "Five hundred.")
        defer { withExtendedLifetime(server) {} }
        let settings = """
            engine: scripted
            history: 2 hours
            history-sound: true
            engines: [{name: better, wyoming: "\(place)"}]

            """
        try await withRig(settings) { rig in
            let microphone = try await rig.plugIn()
            try await dictate(Speech.tones(500, 600), on: rig, microphone)
            let sound = #""sound":"\#(folder(rig))/1.wav""#
            try await eventually("the history has the sound") {
                try await cli("show", "--json", on: rig).contains(sound)
            }
            #expect(files(rig) == ["1.wav", "texts"])
            // The same engine has the same text for it.
            #expect(try await cli("again", on: rig) == "t500 t600\n")
            #expect(try await cli("again", "1", "--engine", "better", on: rig) == "Five hundred.\n")
            let again = try await cli("show", "--json", on: rig)
            #expect(again.contains(#""engine":"better""#) && again.contains(#""original":"t500 t600""#))
            _ = try await cli("again", "--engine", "none", on: rig, exits: 69)
            // Recognising again is no session of its user's.
            #expect(try await rig.gdbus("GetSession") == "({'state': <'idle'>},)")
            _ = try await cli("forget", "1", on: rig)
            #expect(files(rig) == ["texts"])
        }
    }

    /// A session of the worker itself has no client that could end it.
    @Test func recognisingAgainEndsWithItsCallerAndWithItsPermission() async throws {
        let engines = try TemporaryDirectory()
        let place = "unix:\(engines.path)/engine.sock"
        let server = try await ScriptedEngineServer(at: place, mode: "hold")
        let settings =
            tones + """
                history: 2 hours
                history-sound: true
                engine-wait: 40
                engines: [{name: better, wyoming: "\(place)"}]

                """
        try await withRig(settings, allowsEveryone: false) { rig in
            try await rig.setPermission("grant")
            try await dictate(Speech.tones(500), on: rig, try await rig.plugIn())
            let client = try await TestClient(on: rig)
            func history(_ connection: Connection) -> DictationHistoryProxy {
                DictationHistoryProxy(connection: connection, destination: DictationInterface.busName)
            }
            try await eventually("the history has the sound") {
                try await history(client.connection).get(id: 1)["sound"] != nil
            }
            func again(_ connection: Connection) -> Task<Void, any Error> {
                let history = history(connection)
                return Task { @EventLoopActor in
                    _ = try await history.again(
                        id: 1, options: [AgainOption.engine: .string("better")], timeout: nil)
                }
            }
            let leaving = try await TestClient(on: rig)
            let abandoned = again(leaving.connection)
            let denied = again(client.connection)
            try await eventually("both wait for the engine") { try await server.count(of: "audio ") == 2 }
            await leaving.connection.close()
            await #expect(throws: DBusError.self) { try await abandoned.value }
            try await rig.setPermission("deny")
            let error = await #expect(throws: DBusError.self) { try await denied.value }
            #expect(error?.name == DictationInterface.errorName(.permissionDenied))
            try await server.become("answer")
        }
    }

    @Test func withoutSoundNothingIsRecognisedAgain() async throws {
        try await withRig(Self.kept) { rig in
            try await dictate(Speech.tones(500), on: rig, try await rig.plugIn())
            let result = try await ChildProcess.run(
                [executable("dictation-cli"), "history", "again", "--address", rig.bus.address],
                environment: rig.environment)
            #expect(result.status != .exited(0))
            #expect(result.errors.contains("history-sound"), "\(result.errors)")
        }
    }

    @Test func textsOfADeniedApplicationAreErased() async throws {
        try await withRig(Self.kept, allowsEveryone: false) { rig in
            try await rig.setPermission("grant")
            let own = executable("dictation-cli")
            _ = try await rig.output(of: [own, "permissions", "grant", own, "--address", rig.bus.address])
            try await dictate(Speech.tones(500), on: rig, try await rig.plugIn())
            #expect(try await texts(rig) == ["t500"])
            try await rig.setPermission("forget")
            #expect(try await texts(rig).isEmpty)
        }
    }

    /// It has no decision in the database.
    @Test func textsOfAnApplicationThatWasAllowedOnceOutliveTheWorker() async throws {
        try await withRig(Self.kept, allowsEveryone: false) { rig in
            let own = executable("dictation-cli")
            _ = try await rig.output(of: [own, "permissions", "grant", own, "--address", rig.bus.address])
            try await rig.setPermission("grant")
            try await dictate(Speech.tones(500), on: rig, try await rig.plugIn())
            try await rig.end()
            try FileManager.default.removeItem(
                atPath: rig.home.path(of: ".local/state/dictation/permissions.db"))
            try await rig.replaceDaemon()
            _ = try await rig.output(of: [own, "permissions", "grant", own, "--address", rig.bus.address])
            #expect(try await texts(rig) == ["t500"])
        }
    }

    @Test func textsOfASandboxAreKeptOnlyIfItAsksOrTheUserAllowsIt() async throws {
        let rules = "applications: [{application: \"flatpak:org.example.Allowed\", history: true}]\n"
        try await withRig(Self.kept + rules) { rig in
            let microphone = try await rig.plugIn()
            for (id, options) in [
                ("org.example.Silent", "{}"), ("org.example.Asking", #"{"history": true}"#),
                ("org.example.Allowed", "{}"), ("org.example.Allowed", #"{"history": false}"#),
            ] {
                let program = try await OtherProgram(.sandboxed(id), on: rig)
                for (name, arguments) in [("Start", "[\(options)]"), ("Commit", "[]"), ("Stop", "[]")] {
                    let outcome = try await program.call(
                        CallMatrixTests.method(name), arguments, on: "first")
                    #expect(outcome.error.isEmpty, "\(name): \(outcome.error)")
                    guard name == "Start" else { continue }
                    try await eventually("it listens") { try await rig.isCapturing() }
                    try await rig.say(Speech.tones(500), into: microphone)
                }
                try await program.close("first")
            }
            let list = try await cli("list", "--json", on: rig)
            #expect(list.matches(of: #/"client":"org.example.Asking"/#).count == 1, "\(list)")
            #expect(list.matches(of: #/"client":"org.example.Allowed"/#).count == 1, "\(list)")
            #expect(!list.contains("Silent"))
        }
    }

    @Test func changesAreSignalledToThoseWhoAskForIt() async throws {
        try await withRig(Self.kept) { rig in
            let watcher = try await TestClient(on: rig)
            let changes = Lock(0)
            try await watcher.connection.listen(MatchRule(interface: DictationHistoryInterface.name)) { _ in
                changes.withLock { $0 += 1 }
            }
            let history = DictationHistoryProxy(
                connection: watcher.connection, destination: DictationInterface.busName)
            _ = try await history.list(options: [:])
            let microphone = try await rig.plugIn()
            try await dictate(Speech.tones(500), on: rig, microphone)
            #expect(changes.withLock { $0 } == 0)
            let listed = try await history.list(options: [HistoryOption.changes: .bool(true)])
            #expect(listed.lifetime == 7 * 86_400)
            try await dictate(Speech.tones(600), on: rig, microphone)
            try await eventually("it is told") { changes.withLock { $0 } > 0 }
        }
    }

    @Test func settingsOfAnApplicationCountWhereStartNamesNone() async throws {
        let program = try executableOfThisProcess()
        let settings = """
            engine: scripted
            formatting: plain
            applications:
              - {application: "executable:\(program)", formatting: dictation, auto-commit: 300}
              - {application: "app:org.example.Notes", formatting: plain, auto-commit: 0}

            """
        try await withRig(settings) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            #expect(try await client.dictation.getSession()[SessionKey.formatting] == .string("dictation"))
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await client.final(1) == "T500")
            try await client.dictation.stop()
            for (options, formatting) in [
                ([StartOption.formatting: Value("plain")], "plain"),
                ([StartOption.application: Value("org.example.Notes")], "plain"),
                ([StartOption.application: Value("org.example.Other")], "plain"),
            ] as [([BusText: Value], String)] {
                _ = try await client.dictation.start(options: options)
                #expect(try await client.dictation.getSession()[SessionKey.formatting] == .string(formatting))
                try await client.dictation.stop()
            }
        }
    }
}
