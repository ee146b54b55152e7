import DictationClient
import DictationTestKit
import Foundation
import Glibc
import ScriptedService
import Testing

@testable import dictation_cli

@Suite struct WordsTests {
    private func run(_ arguments: [String], home: TemporaryDirectory) async throws -> (
        status: ChildProcess.ExitStatus, output: String, errors: String
    ) {
        try await ChildProcess.run(
            [try BuiltProgram.path(of: "dictation-cli"), "words"] + arguments,
            adding: ["HOME": home.path, "XDG_CONFIG_HOME": home.path(of: "settings")])
    }

    @Test func addsListsAndRemovesWords() async throws {
        let home = try TemporaryDirectory()
        let file = home.path(of: "settings/dictation/dictation.yaml")
        #expect(try await run(["list"], home: home).errors.contains("There are no words."))
        #expect(try await run(["add", "Kubernetes"], home: home).status == .exited(0))
        #expect(
            try await run(["add", "nginx", "--sounds-like", "engine ex"], home: home).status == .exited(0))
        let own = "formatting: dictation # mine\n"
        let written = try String(contentsOfFile: file, encoding: .utf8)
        try (own + written).write(toFile: file, atomically: true, encoding: .utf8)
        #expect(
            try await run(["add", "Kubernetes", "--sounds-like", "cooper netties"], home: home).status
                == .exited(0))
        #expect(try await run([], home: home).output == "Kubernetes\tcooper netties\nnginx\tengine ex\n")
        #expect(
            try String(contentsOfFile: file, encoding: .utf8) == own + """
                # begin: written by dictation-cli words
                words:
                  - "Kubernetes": "cooper netties"
                  - "nginx": "engine ex"
                # end: dictation-cli words

                """)
        #expect(try await run(["remove", "Kubernetes"], home: home).status == .exited(0))
        #expect(try await run(["remove", "Kubernetes"], home: home).status == .exited(65))
        #expect(try await run(["remove", "nginx"], home: home).status == .exited(0))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == own)
    }

    @Test(arguments: ["", "two words", "a\"b", "a\\b", "a\nb", "\u{1B}[2J"])
    func refusesWhatIsNotOneWord(word: String) async throws {
        let home = try TemporaryDirectory()
        #expect(try await run(["add", word], home: home).status == .exited(65))
        #expect(!FileManager.default.fileExists(atPath: home.path(of: "settings/dictation/dictation.yaml")))
    }

    private static let marked =
        "# begin: written by dictation-cli words\nwords:\n  - \"nginx\"\n# end: dictation-cli words\n"

    /// People keep their settings under version control, and from others.
    @Test func aLinkStaysALinkAndModesStay() async throws {
        let home = try TemporaryDirectory()
        let target = try home.write(Self.marked, to: "dotfiles/dictation.yaml")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target)
        let link = home.path(of: "settings/dictation/dictation.yaml")
        try FileManager.default.createDirectory(
            atPath: home.path(of: "settings/dictation"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "../../dotfiles/dictation.yaml")
        #expect(try await run(["add", "Kubernetes"], home: home).status == .exited(0))
        #expect(
            try FileManager.default.attributesOfItem(atPath: link)[.type] as? FileAttributeType
                == .typeSymbolicLink)
        #expect(try String(contentsOfFile: target, encoding: .utf8).contains("Kubernetes"))
        #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o640)
        // Its file may not exist yet. A new one is the user's alone.
        try FileManager.default.removeItem(atPath: target)
        #expect(try await run(["add", "Kubernetes"], home: home).status == .exited(0))
        #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: home.path(of: "dotfiles")) == [
                "dictation.yaml"
            ])
    }

    /// The service closes the microphone of a program that has ended.
    @Test func anInterruptedExampleLeavesNothing() async throws {
        let (home, bus) = (try TemporaryDirectory(), try await PrivateBus())
        let service = try await ScriptedService(at: bus.address)
        let temporary = try TemporaryDirectory()
        // A shell that ignores the signal, as one does for programs in the background.
        let program = try ChildProcess(
            [
                "/bin/sh", "-c", "trap '' INT; exec \"$0\" words add nginx --speak",
                try BuiltProgram.path(of: "dictation-cli"),
            ],
            environment: bus.environment.merging([
                "HOME": home.path, "XDG_CONFIG_HOME": "", "TMPDIR": temporary.path,
            ]) { $1 })
        try await eventually("it listens") { await service.session != nil }
        program.send(SIGINT)
        #expect(try await program.exitStatus() == .signalled(SIGINT))
        try await eventually("the microphone is closed") { await service.session == nil }
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
        await service.vanish()
    }

    @Test func whatIsNotSaidInTimeIsNotAwaited() async throws {
        let bus = try await PrivateBus()
        let service = try await ScriptedService(at: bus.address)
        let client = try await DictationClient(bus: .address(bus.address))
        let error = await #expect(throws: WordLessonError.self) {
            _ = try await SpokenExample(client, within: .milliseconds(50))
        }
        #expect(error?.description.contains("Nothing was said") == true)
        #expect(await service.session == nil)
        await service.vanish()
    }

    @Test func neverChangesWordsWrittenByHand() throws {
        #expect(throws: WordSettingsError.self) { try WordSettings("words: [one]\n") }
        #expect(throws: WordSettingsError.self) {
            try WordSettings("# begin: written by dictation-cli words\nwords:\n  - \"one\"\n")
        }
    }
}
