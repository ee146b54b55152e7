import DBus
import DictationInterface
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import ScriptedService
import Testing

@Suite struct CommandTests {
    private let bus: PrivateBus
    private let service: ScriptedService

    init() async throws {
        bus = try await PrivateBus()
        service = try await ScriptedService(at: bus.address)
    }

    private func run(_ arguments: String...) async throws -> (
        status: ChildProcess.ExitStatus, output: String, errors: String
    ) {
        try await ChildProcess.run(
            [try BuiltProgram.path(of: "dictation-cli")] + arguments, adding: bus.environment)
    }

    private func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess([try BuiltProgram.path(of: "dictation-cli")] + arguments, adding: bus.environment)
    }

    @Test func oneShotCommandsControlALingeringSession() async throws {
        #expect(try await run("start", "--json").output == #"{"session":1}"# + "\n")
        #expect(try await run("pause").status == .exited(0))
        #expect(try await run("resume").status == .exited(0))
        await service.hear("hello world")
        #expect(try await run("commit").output == "hello world\n")
        #expect(try await run("commit").output == "")
        let status = try await run("status")
        #expect(status.output.contains("Listening") && status.output.contains("before"))
        #expect(try await run("cancel").output == "")
        #expect(try await run("stop").status == .exited(0))
        #expect(try await run("status").output == "There is no session.\n")
        #expect(try await run("status", "--json").output == #"{"state":"idle"}"# + "\n")
        await service.vanish()
    }

    @Test func toggleStartsThenPausesAndPrintsThenResumes() async throws {
        #expect(try await run("toggle", "--json").output == #"{"action":"started","session":1}"# + "\n")
        #expect(try #require(await service.session).options["linger"] == Value(true))
        await service.hear("hello", "again")
        #expect(try await run("toggle").output == "hello\n")
        // The microphone closes before waiting for the text.
        #expect(await service.requests.map(\.method).suffix(2) == [.pause, .commit])
        #expect(await service.session?.state == "paused")
        #expect(try await run("toggle", "--json").output == #"{"action":"resumed"}"# + "\n")
        let committed = try await run("toggle", "--json").output
        #expect(committed.hasPrefix(#"{"action":"committed","block":2,"text":"again""#), "\(committed)")
        await service.vanish()
    }

    @Test func commitWithStopEndsTheSession() async throws {
        _ = try await run("start")
        await service.hear("the end")
        #expect(try await run("commit", "--stop").output == "the end\n")
        #expect(await service.requests.map(\.method).suffix(3) == [.pause, .commit, .stop])
        #expect(await service.session == nil)
        await service.vanish()
    }

    @Test(arguments: [(.engineFailed, 70), (.cancelled, 75)] as [(DictationErrorKind, Int32)])
    func commitWithStopEndsTheSessionWithoutText(kind: DictationErrorKind, code: Int32) async throws {
        _ = try await run("start")
        await service.refuse(.commit, kind, "There is no text.")
        await service.refuse(.stop, .notRunning, "It has stopped.")
        let result = try await run("commit", "--stop")
        #expect(result.status == .exited(code))
        #expect(result.errors == "There is no text.\n")
        #expect(await service.requests.map(\.method).suffix(3) == [.pause, .commit, .stop])
        await service.vanish()
    }

    @Test func commitWithStopKeepsTheSessionWhoseTextIsLate() async throws {
        _ = try await run("start")
        await service.refuse(.commit, .timeout, "It took too long.")
        let result = try await run("commit", "--stop")
        #expect(result.status == .exited(75))
        #expect(result.errors.hasPrefix("It took too long. The session was not ended"), "\(result.errors)")
        #expect(result.errors.contains("may still come"))
        #expect(await service.requests.map(\.method).suffix(2) == [.pause, .commit])
        #expect(await service.session != nil)
        await service.vanish()
    }

    @Test func sessionOfAnotherProgramIsNamed() async throws {
        for command in ["pause", "resume", "commit", "cancel", "stop"] {
            let result = try await run(command)
            #expect(result.status == .exited(1))
            #expect(
                result.errors
                    == "There is no session. “dictation-cli start” starts one in the background.\n")
        }
        let listener = try start("listen")
        try await eventually("it listens") { await service.session != nil }
        for command in ["pause", "resume", "commit", "cancel", "stop"] {
            let result = try await run(command)
            #expect(result.status == .exited(1))
            #expect(result.errors.hasPrefix("Another program dictates (listening)"), "\(result.errors)")
        }
        #expect(try await run("status").output.hasPrefix("State       Listening, in another program"))
        #expect(
            try await run("status", "--json").output == #"{"state":"idle","other":"listening"}"# + "\n")
        listener.send(SIGINT)
        _ = try await listener.exitStatus()
        await service.vanish()
    }

    @Test func unknownMicrophoneIsRefused() async throws {
        await service.offer([["name": Value("builtin"), "description": Value("Laptop")]])
        for command in ["start", "listen", "toggle"] {
            let result = try await run(command, "--microphone", "usb")
            #expect(result.status == .exited(69))
            #expect(
                result.errors == "There is no microphone “usb”. The microphones are: builtin.\n",
                "\(result.errors)")
        }
        #expect(await service.session == nil)
        await service.vanish()
    }

    @Test func anEngineThatIsAwayIsNamedUntilItIsBack() async throws {
        for isAvailable in [false, true] {
            await service.offer(engines: [
                ("whisper", ["available": Value(isAvailable), "preferred": Value(true)]),
                ("scripted", ["available": Value(true), "languages": Value(["en-US"])]),
            ])
            let sentence = "The engine whisper does not answer: scripted is used until it is back.\n"
            #expect(try await run("status").output.contains("Engine      \(sentence)") != isAvailable)
            #expect(try await run("doctor").output.contains("✗ \(sentence)") != isAvailable)
        }
        await service.vanish()
    }

    @Test func passesOptionsToTheService() async throws {
        await service.offer([["name": Value("usb"), "description": Value("Table Mic")]])
        let result = try await run(
            "start", "--word", "Grünkohl", "--pronunciation", "Debian=D EH B IY AH N", "--playback", "mix",
            "--speech-seconds", "30", "--auto-commit", "1.5", "--microphone", "usb")
        #expect(result.status == .exited(0), "\(result.errors)")
        #expect(
            try #require(await service.session).options == [
                "linger": Value(true), "playback": Value("mix"), "speech-seconds": Value(UInt32(30)),
                "auto-commit": Value(UInt32(1500)), "route": Value("usb"),
                "vocabulary": .array(
                    [
                        .structure([Value("Grünkohl"), Value("")]),
                        .structure([Value("Debian"), Value("D EH B IY AH N")]),
                    ], of: "(ss)"),
            ])
        for wrong in [
            ["--speech-seconds", "4"], ["--playback", "loud"], ["--pronunciation", "Debian"],
            ["--pronunciation", "=D"],
        ] {
            let refused = try await ChildProcess.run(
                [try BuiltProgram.path(of: "dictation-cli"), "start"] + wrong, adding: bus.environment)
            #expect(refused.status == .exited(64), "\(wrong)")
            #expect(refused.errors.contains(wrong[0]), "\(refused.errors)")
        }
        await service.vanish()
    }

    @Test(
        arguments: [
            (.alreadyRunning, 1), (.permissionDenied, 77), (.engineUnavailable, 69),
            (.unsupportedLanguage, 65),
            (.limitExceeded, 75), (.engineFailed, 70),
        ] as [(DictationErrorKind, Int32)])
    func exitCodesNameTheKindOfError(kind: DictationErrorKind, code: Int32) async throws {
        await service.refuse(.commit, kind, "It cannot be done.")
        let result = try await run("commit")
        #expect(result.status == .exited(code))
        #expect(result.output == "")
        #expect(result.errors == "It cannot be done.\n")
        await service.vanish()
    }

    @Test func reportsAMissingServiceOrBusAndWrongUsage() async throws {
        await service.vanish()
        #expect(try await run("status").status == .exited(69))
        let noBus = try await run("status", "--address", "unix:path=/nowhere/bus")
        #expect(noBus.status == .exited(69))
        #expect(noBus.errors.contains("service cannot be reached"))
        #expect(try await run("status", "--system", "--session").status == .exited(64))
        #expect(try await run("routes", "select").status == .exited(64))
        #expect(try await run("listen", "--auto-commit", "0.1").status == .exited(64))
        #expect(try await run("frobnicate").status == .exited(64))
    }

    @Test func aPipeGetsFinalTextLineByLine() async throws {
        let listener = try start("listen")
        try await eventually("it listens") { await service.session != nil }
        let options = try #require(await service.session).options
        #expect(options["partials"] == Value(false))
        // A block ends automatically, without Enter.
        #expect(options["auto-commit"] == Value(UInt32(1000)))
        await service.hear("the last block")
        try await service.emit(.final(session: 1, block: 1, text: "hello\u{1B}[2J world", details: [:]))
        try await service.emit(.final(session: 1, block: 2, text: "", details: [:]))
        try await service.emit(
            .interrupted(
                session: 1, reason: "session-locked", details: ["reasons": Value(["session-locked"])]))
        #expect(try await listener.line(of: .output) == "hello\u{1B}[2J world")
        #expect(
            try await listener.line(of: .errors)
                == "Interrupted: the screen is locked; waiting until the screen is unlocked.")
        listener.send(SIGINT)
        #expect(try await listener.exitStatus() == .exited(0))
        #expect(listener.text(of: .output) == "hello\u{1B}[2J world\nthe last block\n")
        await service.vanish()
    }

    @Test(
        arguments: [
            ("stopped", "Another program has ended the session.\n"),
            ("shutdown", "The session ended: the service was shut down.\n"),
        ])
    func listenTellsWhyItsSessionEnded(reason: String, notice: String) async throws {
        let listener = try start("listen")
        try await eventually("it listens") { await service.session != nil }
        try await service.end(reason)
        #expect(try await listener.exitStatus() == .exited(0))
        #expect(listener.text(of: .errors) == notice)
        await service.vanish()
    }

    @Test func jsonHasOneEventOnEachLine() async throws {
        let listener = try start("listen", "--json")
        try await eventually("it listens") { await service.session != nil }
        try await service.emit(
            .partial(session: 1, block: 1, offset: 0, stable: "a", volatile: "b", details: [:]))
        let line = try await listener.line(of: .output) { $0.contains("partial") }
        #expect(
            line == #"{"event":"partial","session":1,"block":1,"offset":0,"stable":"a","volatile":"b"}"#)
        listener.send(SIGTERM)
        #expect(try await listener.exitStatus() == .exited(0))
        for line in listener.lines(of: .output) {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
        await service.vanish()
    }

    @Test func monitorShowsOtherSessions() async throws {
        let monitor = try start("monitor", "--text")
        try await eventually("it has subscribed") { await !service.subscribers.isEmpty }
        #expect(await Array(service.subscribers.values) == [["text": Value(true)]])
        _ = try await run("start")
        #expect(try await monitor.line(of: .output) == "1  Listening")
        await service.hear("hello")
        _ = try await run("commit")
        _ = try await monitor.line(of: .output) { $0 == "1  “hello”" }
        _ = try await run("stop")
        _ = try await monitor.line(of: .output) { $0 == "1  Ended: stopped." }
        monitor.send(SIGINT)
        _ = try await monitor.exitStatus()
        await service.vanish()
    }

    @Test func routesMarksTheChosenMicrophone() async throws {
        await service.offer([
            [
                "name": Value("usb"), "description": Value("Table Mic"), "available": Value(true),
                "selected": Value(true),
            ],
            [
                "name": Value("builtin"), "description": Value("Laptop"), "available": Value(true),
                "default": Value(true),
            ],
            ["name": Value("gone"), "description": Value("Headset"), "muted": Value(true)],
        ])
        #expect(
            try await run("routes").output == """
                * usb      Table Mic
                  builtin  Laptop (default)
                  gone     Headset (muted, not there)

                """)
        #expect(try await run("routes", "select", "builtin").status == .exited(0))
        #expect(try await run("routes", "select", "--default").status == .exited(0))
        #expect(try await run("routes", "select", "nothing").status == .exited(69))
        let selections = await service.requests.filter { $0.method == .selectRoute }
        #expect(
            selections.prefix(2) == [
                .selectRoute(name: "builtin", options: [:]), .selectRoute(name: "", options: [:]),
            ])
        await service.vanish()
    }

    @Test func transcribeContinuesAfterAMissingFile() async throws {
        let file = try bus.directory.write("sound", to: "a.raw")
        let transcriber = try start("transcribe", "/no/such/file", file, file)
        for number in 1...2 {
            try await eventually("file \(number) is read") { await service.session?.id == UInt64(number) }
            #expect(try #require(await service.session).options["input"].flatMap(Descriptor.init) != nil)
            try await service.emit(
                .final(session: UInt64(number), block: 1, text: "file \(number)", details: [:]))
            try await service.end("end-of-input")
        }
        #expect(try await transcriber.exitStatus() == .exited(66))
        #expect(transcriber.text(of: .output) == "file 1\nfile 2\n")
        #expect(transcriber.text(of: .errors) == "/no/such/file: No such file or directory\n")
        await service.vanish()
    }

    private func fail(_ kind: DictationErrorKind, _ message: String) async throws {
        let session = try #require(await service.session)
        try await service.emit(
            .error(
                session: session.id, name: DictationInterface.errorName(kind).rawValue, message: message,
                details: [:]))
    }

    /// PocketSphinx goes on after another engine has failed.
    @Test func transcribePrintsTheTextThatFollowsAnError() async throws {
        let file = try bus.directory.write("sound", to: "a.raw")
        let transcriber = try start("transcribe", file, file)
        for number in 1...2 {
            try await eventually("file \(number) is read") { await service.session?.id == UInt64(number) }
            if number == 1 {
                try await fail(.engineFailed, "The engine failed.")
                try await fail(.limitExceeded, "Another error.")
            }
            try await service.emit(
                .final(session: UInt64(number), block: 1, text: "file \(number)", details: [:]))
            try await service.end("end-of-input")
        }
        #expect(try await transcriber.exitStatus() == .exited(70))
        #expect(transcriber.text(of: .output) == "file 1\nfile 2\n")
        #expect(transcriber.text(of: .errors) == "Another error.\n\(file): The engine failed.\n")
        await service.vanish()
    }

    @Test func transcribeTellsOnceWhyAFileCannotBeRead() async throws {
        let file = try bus.directory.write("sound", to: "a.raw")
        let transcriber = try start("transcribe", file)
        try await eventually("the file is read") { await service.session != nil }
        try await fail(.unsupportedFormat, "It is not audio.")
        try await service.end("error")
        #expect(try await transcriber.exitStatus() == .exited(65))
        #expect(
            transcriber.text(of: .errors)
                == """
                \(file): It is not audio.
                ffmpeg may read it: ffmpeg -i '\(file)' -f wav - | dictation-cli transcribe -

                """)
        await service.vanish()
    }

    @Test func transcribeSaysWhatIsWrongWithTheSound() async throws {
        let file = try bus.directory.write("sound", to: "a.raw")
        let transcriber = try start("transcribe", file)
        try await eventually("the file is read") { await service.session != nil }
        try await service.emit(
            .final(session: 1, block: 1, text: "hello", details: ["problems": Value(["input-too-quiet"])]))
        try await service.end("end-of-input")
        #expect(try await transcriber.exitStatus() == .exited(0))
        #expect(transcriber.text(of: .output) == "hello\n")
        #expect(transcriber.text(of: .errors).hasPrefix("\(file): The speech is very quiet"))
        await service.vanish()
    }

    @Test func transcribeDecodesOtherFilesItself() async throws {
        let path = bus.directory.path(of: "tone.flac")
        let made = try await ChildProcess.run(["sox", "-n", "-r", "44100", path, "synth", "1", "sine", "440"])
        try #require(made.status == .exited(0), "\(made.errors)")
        let transcriber = try start("transcribe", path)
        try await eventually("the file is read") { await service.session != nil }
        try await service.end("end-of-input")
        #expect(try await transcriber.exitStatus() == .exited(0))
        await service.vanish()
    }

    @Test(arguments: [
        ("stopped", "another program stopped it"), ("shutdown", "the service was shut down"),
    ])
    func transcribeFailsIfTheSessionEndsBeforeTheFile(reason: String, cause: String) async throws {
        let file = try bus.directory.write("sound", to: "a.raw")
        let transcriber = try start("transcribe", file)
        try await eventually("the file is read") { await service.session != nil }
        try await service.emit(.final(session: 1, block: 1, text: "the first half", details: [:]))
        try await service.end(reason)
        #expect(try await transcriber.exitStatus() == .exited(75))
        #expect(transcriber.text(of: .output) == "the first half\n")
        #expect(
            transcriber.text(of: .errors)
                == "\(file): The session ended before the end of the file: \(cause). Try again.\n")
        await service.vanish()
    }

    @Test func testOfWordsCountsTheTextThatFollowsAnError() async throws {
        let settings = try TemporaryDirectory()
        let file = try settings.write("sound", to: "a.raw")
        let environment = bus.environment.merging(["XDG_CONFIG_HOME": settings.path]) { $1 }
        let program = [try BuiltProgram.path(of: "dictation-cli"), "words"]
        #expect(
            try await ChildProcess.run(program + ["add", "nginx"], adding: environment).status == .exited(0))
        let test = try ChildProcess(program + ["test", file], adding: environment)
        try await eventually("the file is read") { await service.session != nil }
        try await fail(.engineFailed, "The engine failed.")
        let session = try #require(await service.session)
        try await service.emit(.final(session: session.id, block: 1, text: "about nginx", details: [:]))
        try await service.end("end-of-input")
        #expect(try await test.exitStatus() == .exited(70))
        #expect(test.text(of: .output) == "about nginx\n1\tnginx\n")
        #expect(test.text(of: .errors) == "The engine failed.\n")
        await service.vanish()
    }

    @Test func doctorNamesWhatIsMissing() async throws {
        await service.decide("not-determined")
        let result = try await run("doctor")
        #expect(result.status == .exited(69))
        #expect(result.output.contains("✓ The service for the whole machine is used."))
        #expect(result.output.contains("✓ The engine scripted knows en-US."))
        #expect(result.output.contains("✗ There is no microphone.\n  → "))
        #expect(result.output.contains("✗ The user has not been asked for permission yet.\n  → "))
        await service.vanish()
        let without = try await run("doctor")
        #expect(without.output.contains("✗ The dictation service does not answer"))
    }

    @Test func prefersTheServiceOfTheMachine() async throws {
        let program = try BuiltProgram.path(of: "dictation-cli")
        let folder = try TemporaryDirectory()
        try folder.write(
            "[D-BUS Service]\nName=\(DictationInterface.busName)\nExec=/bin/false\n", to: "some.service")
        let activating = try await PrivateBus(
            configuration: "<servicedir>\(folder.path)</servicedir>")
        let empty = try await PrivateBus()
        func found(_ system: String, _ options: String...) async throws -> String? {
            let result = try await ChildProcess.run(
                [program, "doctor"] + options,
                adding: ["DBUS_SESSION_BUS_ADDRESS": bus.address, "DBUS_SYSTEM_BUS_ADDRESS": system])
            return result.output.split(separator: "\n").map(String.init).first {
                $0.contains(" is used")
            }
        }
        #expect(
            try await found(activating.address)
                == "✓ The service for the whole machine is used.")
        #expect(
            try await found(empty.address)
                == "✓ The service of this session is used; none is installed for the whole machine.")
        let absent = try #require(try await found("unix:path=\(folder.path(of: "nothing"))"))
        #expect(
            absent.hasPrefix(
                "✓ The service of this session is used; one for the whole machine cannot be reached ("))
        #expect(try await found(activating.address, "--session") == "✓ The service of this session is used.")
        #expect(try await found(empty.address, "--system") == "✓ The service for the whole machine is used.")
        #expect(
            try await found(empty.address, "--address", bus.address)
                == "✓ The service at \(bus.address) is used.")
        await service.vanish()
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func writesCompletionsForEachShell(shell: String) async throws {
        let script = try await run("--generate-completion-script", shell)
        #expect(script.status == .exited(0))
        #expect(script.output.contains("transcribe"))
        await service.vanish()
    }
}
