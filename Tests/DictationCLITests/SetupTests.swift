import DBus
import DictationInterface
import DictationTestKit
import Foundation
import ScriptedService
import Testing

/// `dictation-cli setup`, with a person at the terminal.
@Suite struct SetupTests {
    private let bus: PrivateBus
    private let service: ScriptedService
    private let home: TemporaryDirectory

    init() async throws {
        bus = try await PrivateBus()
        service = try await ScriptedService(at: bus.address)
        home = try TemporaryDirectory()
    }

    private func microphone(_ name: String, isDefault: Bool = false) -> [BusText: Value] {
        [
            RouteKey.name: Value(BusText(name)), RouteKey.description: Value(BusText("The \(name)")),
            RouteKey.available: Value(true), RouteKey.default: Value(isDefault),
        ]
    }

    private func terminal() throws -> PseudoTerminal {
        try PseudoTerminal(
            [try BuiltProgram.path(of: "dictation-cli"), "setup"],
            environment: bus.environment.merging([
                "SWAYSOCK": "/nonexistent", "HOME": home.path, "XDG_CONFIG_HOME": "",
            ]) { $1 }, columns: 120, rows: 50)
    }

    /// Somebody speaks.
    private func say(_ text: String) async throws {
        try await eventually("it listens") { await service.session != nil }
        let session = try #require(await service.session)
        try await service.emit(
            .final(session: session.id, block: session.block, text: text, details: [:]))
    }

    @Test func stepsLeadFromTheMicrophoneToTheKey() async throws {
        await service.offer([microphone("lid", isDefault: true), microphone("headset")])
        let terminal = try terminal()
        try await terminal.shows("Which one? [1]")
        terminal.press("3\n")
        try await terminal.shows("a number from 1 to 2")
        terminal.press("2\n")
        try await terminal.shows("Say a sentence")
        try await eventually("it listens") { await service.session != nil }
        // The sentence is shown, and not kept.
        let options = try #require(await service.session).options
        #expect(options[StartOption.history] == Value(false) && options[StartOption.filter] == Value(false))
        try await say("hallo wort")
        try await terminal.shows("Was that about right? [y]")
        #expect(
            await service.requests.contains {
                if case .selectRoute(name: "headset", _) = $0 { true } else { false }
            })
        // Once more.
        terminal.press("n\n")
        try await eventually("the first session has ended") {
            await service.requests.count { $0.method == .start } == 2
        }
        try await say("hello world")
        try await terminal.shows("hello world")
        // A key before the question would go to the test of the microphone.
        try await terminal.shows("Was that about right? [y]", inLines: 2)
        terminal.press("\n")
        try await terminal.shows("Which language do you speak?")
        terminal.press("nonsense!\n")
        try await terminal.shows("That is no BCP 47 tag")
        terminal.press("\n")
        try await terminal.shows("Set up Whisper")
        terminal.press("n\n")
        try await terminal.shows("Keep the last texts? [n]")
        terminal.press("\n")
        try await terminal.shows("bindsym --no-repeat Mod4+Mod1+space exec dictation-cli toggle --type")
        try await terminal.shows("Next: ")
        #expect(try await terminal.exitCode() == 0)
        let file = home.path(of: ".config/dictation/dictation.yaml")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "history: off\n")
        await service.vanish()
    }

    @Test func theQuestionWhetherTextsAreKeptIsAskedOnce() async throws {
        try home.write("history: 30 days\n", to: ".config/dictation/dictation.yaml")
        await service.offer([microphone("lid", isDefault: true)])
        let terminal = try terminal()
        try await terminal.shows("Say a sentence")
        try await say("hello world")
        try await terminal.shows("Was that about right? [y]")
        terminal.press("\n")
        try await terminal.shows("Which language do you speak?")
        terminal.press("de\n")
        try await terminal.shows("Set up Whisper")
        terminal.press("n\n")
        try await terminal.shows("Next: ")
        #expect(try await terminal.exitCode() == 0)
        #expect(!terminal.transcript.contains("Keep the last texts"))
        // The language counts without another engine, too.
        let file = home.path(of: ".config/dictation/dictation.yaml")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "history: 30 days\nlanguage: de\n")
        await service.vanish()
    }

    @Test func missingMicrophoneIsSaidWithWhatToDo() async throws {
        await service.offer([])
        let terminal = try terminal()
        try await terminal.shows("There is no microphone. Plug one in")
        #expect(try await terminal.exitCode() == 69)
        await service.vanish()
    }

    @Test func questionsNeedATerminal() async throws {
        let run = try await ChildProcess.run(
            [try BuiltProgram.path(of: "dictation-cli"), "setup"], adding: bus.environment)
        #expect(run.status == .exited(64))
        #expect(run.errors.contains("run it on a terminal"))
        await service.vanish()
    }
}
