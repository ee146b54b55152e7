import DictationRig
import DictationTestKit
import Foundation
import ManualPage
import Testing

@Suite struct ManualTests {
    private static let folder = repository.appending(path: "packaging/man")

    private static var pages: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        }
    }

    @Test func everyProgramHasAManualPage() throws {
        #expect(
            try Self.pages == [
                "dictation-cli-type.1", "dictation-cli.1", "dictation-engine.7",
                "dictation-settings.1", "dictation-speech-de.7",
                "dictation-speech-es.7", "dictation-speech-fr.7", "dictation-speech.7", "dictation-worker.1",
                "dictation.conf.5", "dictationd.8",
                "org.example.Dictation.7",
            ])
    }

    @Test func theManualPagesAreValid() async throws {
        for page in try Self.pages {
            let path = Self.folder.appending(path: page).path
            let lint = try await ChildProcess.run(["mandoc", "-Tlint", "-Wwarning", path])
            #expect(lint.output + lint.errors == "", "\(page)")
            let man = try await ChildProcess.run(
                [
                    "man", "--warnings", "--encoding=UTF-8", "--troff-device=utf8", "--ditroff",
                    "--local-file", path,
                ],
                adding: ["LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"])
            #expect(man.status == .exited(0))
            #expect(man.errors == "", "\(page)")
        }
    }

    @Test(arguments: [
        ("dictation-cli", "dictation-cli.1"),
        ("dictationd", "dictationd.8"), ("dictation-worker", "dictation-worker.1"),
    ])
    func everyCommandAndOptionIsInTheManual(program: String, page: String) async throws {
        let help = try await ChildProcess.run([executable(program), "--experimental-dump-help"])
        let command = try JSONDecoder().decode(ToolHelp.self, from: Data(help.output.utf8)).command
        let text = try String(contentsOf: Self.folder.appending(path: page), encoding: .utf8)
        let options = text.matches(of: /\\fB\\-\\-([a-z\\-]+)\\fR/)
        let told = options.map { String($0.1).replacing("\\", with: "") }
        #expect(Set(told) == command.longOptions)
        for name in command.commandNames {
            #expect(text.contains(try Regex("\\.B ([a-z]+ )?\(name)\n")), "\(name) is not in \(page)")
        }
    }

    @Test func theVersionIsTheSameEverywhere() async throws {
        let version = try await ChildProcess.run([executable("dictationd"), "--version"])
        #expect(version.output == Release.version + "\n")
        func first(_ file: String) throws -> String {
            let text = try String(contentsOf: repository.appending(path: file), encoding: .utf8)
            return try #require(
                text.split(separator: "\n").first { $0.contains(Release.version) }.map(String.init))
        }
        #expect(try first("packaging/CHANGELOG.md").hasPrefix("## \(Release.version)"))
        #expect(try first("packaging/debian/changelog").hasPrefix("dictation (\(Release.version))"))
        #expect(try first("packaging/org.example.Dictation.metainfo.xml").contains(Release.date))
        for page in try Self.pages {
            #expect(try first("packaging/man/\(page)").hasPrefix(".TH \(page.dropLast(2))"), "\(page)")
        }
    }
}

/// The help of a program, from `--experimental-dump-help`.
private struct ToolHelp: Decodable {
    struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                var kind: String
                var name: String
            }

            var names: [Name]?
        }

        var commandName: String
        var shouldDisplay: Bool?
        var arguments: [Argument]?
        var subcommands: [Command]?

        var longOptions: Set<String> {
            let own = (arguments ?? []).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name)
            return (subcommands ?? []).reduce(into: Set(own)) { $0.formUnion($1.longOptions) }
        }

        /// All commands below this one, except help and those that are not for people.
        var commandNames: [String] {
            (subcommands ?? []).filter { $0.commandName != "help" && $0.shouldDisplay != false }
                .flatMap { [$0.commandName] + $0.commandNames }
        }
    }

    var command: Command
}
