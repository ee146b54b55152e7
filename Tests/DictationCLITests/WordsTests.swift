import DictationTestKit
import Foundation
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

    @Test func neverChangesWordsWrittenByHand() throws {
        #expect(throws: WordSettingsError.self) { try WordSettings("words: [one]\n") }
        #expect(throws: WordSettingsError.self) {
            try WordSettings("# begin: written by dictation-cli words\nwords:\n  - \"one\"\n")
        }
    }
}
