import DBus
import DictationInterface
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import ScriptedService
import Testing

/// Where the output goes, and in which form.
@Suite struct OutputTests {
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

    @Test func endsWhenTheReaderOfItsOutputCloses() async throws {
        let program = try BuiltProgram.path(of: "dictation-cli")
        let shell = try ChildProcess(
            ["bash", "-c", #""$0" listen | head -n 1; echo "${PIPESTATUS[0]}""#, program],
            adding: bus.environment)
        try await eventually("it listens") { await service.session != nil }
        try await service.emit(.final(session: 1, block: 1, text: "one", details: [:]))
        #expect(try await shell.line(of: .output) == "one")
        // At once, not with the next text.
        #expect(try await shell.exitStatus() == .exited(0))
        #expect(shell.text(of: .output) == "one\n141\n")
        await service.vanish()
    }

    @Test func textThatCannotBeWrittenGoesToStandardError() async throws {
        let program = try BuiltProgram.path(of: "dictation-cli")
        let shell = try ChildProcess(
            ["bash", "-c", #"exec "$0" listen >/dev/full"#, program], adding: bus.environment)
        try await eventually("it listens") { await service.session != nil }
        await service.hear("the last block")
        try await service.emit(.final(session: 1, block: 1, text: "one\ntwo", details: [:]))
        #expect(try await shell.exitStatus() == .exited(74))
        let message = "The output cannot be written: No space left on device. Its text:\n"
        #expect(shell.text(of: .errors) == message + "one\ntwo\n" + message + "the last block\n")
        #expect(await service.requests.map(\.method).suffix(2) == [.commit, .stop])
        await service.vanish()
    }

    @Test func textThatWasCommittedGoesToStandardErrorIfTheDiskIsFull() async throws {
        _ = try await run("start")
        await service.hear("hello")
        let result = try await ChildProcess.run(
            ["bash", "-c", #"exec "$0" commit >/dev/full"#, try BuiltProgram.path(of: "dictation-cli")],
            adding: bus.environment)
        #expect(result.status == .exited(74))
        #expect(result.errors.hasSuffix("Its text:\nhello\n"), "\(result.errors)")
        await service.vanish()
    }

    @Test func textIsWrittenAsItIsWhereNoTerminalReadsIt() async throws {
        _ = try await run("start")
        let text = "یک\u{200C}دو\n\nthree\u{202E}"
        await service.hear(text, text)
        #expect(try await run("commit").output == text + "\n")
        #expect(try await run("toggle").output == text + "\n")
        await service.vanish()
    }

    @Test func listenOnceEndsAfterTheFirstText() async throws {
        let listener = try start("listen", "--once", "--private")
        try await eventually("it listens") { await service.session != nil }
        let options = await service.session?.options
        #expect(options?[StartOption.history] == Value(false))
        #expect(options?[StartOption.filter] == Value(false))
        try await service.emit(.final(session: 1, block: 1, text: "", details: [:]))
        try await service.emit(.final(session: 1, block: 2, text: "hello", details: [:]))
        #expect(try await listener.exitStatus() == .exited(0))
        #expect(listener.text(of: .output) == "hello\n")
        #expect(await service.requests.map(\.method).suffix(2) == [.commit, .stop])
        await service.vanish()
    }

    @Test(arguments: [
        (
            "srt",
            "1\n00:00:00,500 --> 00:00:01,500\nhello\n\n2\n00:00:02,500 --> 00:00:03,500\nhello\n\n"
        ),
        (
            "vtt",
            "WEBVTT\n\n00:00:00.500 --> 00:00:01.500\nhello\n\n00:00:02.500 --> 00:00:03.500\nhello\n\n"
        ),
    ])
    func transcribeWritesSubtitles(format: String, expected: String) async throws {
        let file = try bus.directory.write("sound", to: "a.raw")
        let transcriber = try start("transcribe", "--format", format, file)
        try await eventually("the file is read") { await service.session != nil }
        let segments = Value.array([.structure([Value("hello"), Value(0.5), Value(1.5)])], of: "(sdd)")
        for block: UInt64 in 1...2 {
            try await service.emit(
                .final(
                    session: 1, block: block, text: "Hello.",
                    details: [FinalKey.segments: segments, FinalKey.duration: Value(2.0)]))
        }
        try await service.end("end-of-input")
        #expect(try await transcriber.exitStatus() == .exited(0))
        #expect(transcriber.text(of: .output) == expected)
        #expect(try await run("transcribe", "--format", format, file, file).status == .exited(64))
        await service.vanish()
    }

    /// For a status bar: one line for each state, the present one first.
    @Test func monitorFollowsTheStateAlone() async throws {
        _ = try await run("start")
        let monitor = try start("monitor", "--follow", "--json")
        let first = """
            {"event":"state","state":"listening","text":"Listening","alt":"listening","class":"listening",\
            "tooltip":"Dictation: Listening"}
            """
        #expect(try await monitor.line(of: .output) == first)
        await service.hear("hello")
        _ = try await run("commit")
        _ = try await run("pause")
        _ = try await monitor.line(of: .output) { $0.contains(#""state":"paused""#) }
        _ = try await run("stop")
        _ = try await monitor.line(of: .output) { $0.contains(#""state":"idle""#) }
        #expect(monitor.lines(of: .output).count == 3)
        monitor.send(SIGINT)
        _ = try await monitor.exitStatus()
        await service.vanish()
    }

    @Test func helpHasGroupsAndMistypedCommandsASuggestion() async throws {
        let help = try await run("--help").output
        for group in ["TEXT:", "A SESSION IN THE BACKGROUND:", "THIS COMPUTER:"] {
            #expect(help.uppercased().contains(group), "\(help)")
        }
        for (word, command) in [("liten", "listen"), ("stauts", "status"), ("comit", "commit")] {
            let result = try await run(word)
            #expect(result.status == .exited(64))
            #expect(
                result.errors.hasPrefix("There is no command “\(word)”. Did you mean “\(command)”?"),
                "\(result.errors)")
        }
        #expect(try await run("frobnicate").errors.contains("Did you mean") == false)
        await service.offer([["name": Value("usb"), "description": Value("Table Mic")]])
        #expect(try await run("microphones").output == run("routes").output)
        await service.vanish()
    }
}
