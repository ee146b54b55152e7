import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import ScriptedService
import Testing

/// `dictation-cli history copy`, in a headless sway.
@Suite(.serialized, .timeLimit(.minutes(1))) struct HistoryCopyTests {
    @Test func aTextIsInTheClipboardAfterTheProgramHasEnded() async throws {
        let desk = try await SwayDesk()
        let bus = try await PrivateBus()
        let service = try await ScriptedService(at: bus.address)
        await service.offer(history: ["the last text\nof two lines", "an earlier one"])
        func copy(_ words: [String] = [], in environment: [String: String]) async throws -> (
            status: ChildProcess.ExitStatus, output: String, errors: String
        ) {
            try await ChildProcess.run(
                [executable("dictation-cli"), "history", "copy"] + words,
                environment: environment.merging(bus.environment) { $1 })
        }
        for (words, text) in [([] as [String], "the last text\nof two lines"), (["1"], "an earlier one")] {
            let run = try await copy(words, in: desk.environment)
            #expect(run.status == .exited(0), "\(run.errors)")
            let pasted = try await ChildProcess.run(
                ["wl-paste", "--no-newline"], environment: desk.environment)
            #expect(pasted.output == text, "\(pasted.errors)")
        }
        // The worker passes the text of the tray's menu.
        let file = try bus.directory.write("ein Text\nzwei", to: "text")
        let passed = try await ChildProcess.run(
            [
                "/bin/sh", "-c", "exec \"$0\" history copy --standard-input < \"$1\"",
                executable("dictation-cli"), file,
            ], environment: desk.environment)
        #expect(passed.status == .exited(0), "\(passed.errors)")
        let pasted = try await ChildProcess.run(["wl-paste", "--no-newline"], environment: desk.environment)
        #expect(pasted.output == "ein Text\nzwei", "\(pasted.errors)")
        let nowhere = try await copy(in: ["PATH": "/usr/bin:/bin"])
        #expect(nowhere.status == .exited(69))
        #expect(nowhere.errors.contains("no desktop session"), "\(nowhere.errors)")
        await service.vanish()
    }
}
