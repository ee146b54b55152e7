import DictationTestKit
import Foundation
import Testing

@Suite struct LanguageTests {
    private let home: TemporaryDirectory
    private var file: String { home.path(of: "settings/dictation/dictation.yaml") }

    init() throws { home = try TemporaryDirectory() }

    private func run(_ arguments: String...) async throws -> (
        status: ChildProcess.ExitStatus, output: String, errors: String
    ) {
        try await ChildProcess.run(
            [try BuiltProgram.path(of: "dictation-cli"), "language"] + arguments,
            adding: ["HOME": home.path, "XDG_CONFIG_HOME": home.path(of: "settings")])
    }

    @Test func switchesBetweenTheUsersLanguages() async throws {
        try home.write("language: [en-US, de-DE] # mine\n", to: "settings/dictation/dictation.yaml")
        #expect(try await run().output == "* auto\n  en-US\n  de-DE\n")
        #expect(try await run("de").status == .exited(0))
        #expect(try await run().output == "  auto\n  en-US\n* de-DE\n")
        #expect(
            try String(contentsOfFile: file, encoding: .utf8)
                == "language: [en-US, de-DE] # mine\nspoken-language: de-DE\n")
        #expect(try await run("next").status == .exited(0))
        let json = try await run("--json").output
        #expect(json == #"{"spoken":"en-US","languages":["en-US","de-DE"]}"# + "\n")
        try await SchemaCheck.check(json, against: "language")
        #expect(try await run("auto").status == .exited(0))
        #expect(try await run().output.hasPrefix("* auto"))
    }

    @Test func aLanguageThatIsNotOneOfThemIsExplained() async throws {
        let none = try await run("next")
        #expect(none.status == .exited(65) && none.errors.contains("Name your languages first"))
        try home.write("language: [en-US, de-DE]\n", to: "settings/dictation/dictation.yaml")
        let other = try await run("fr")
        #expect(
            other.status == .exited(65) && other.errors.contains("not one of your languages: en-US, de-DE"))
        try home.write("{language: [en-US, de-DE]}\n", to: "settings/dictation/dictation.yaml")
        let flow = try await run("de")
        #expect(
            flow.status == .exited(65)
                && flow.errors.contains("write “spoken-language: de-DE” into it yourself"))
    }
}
