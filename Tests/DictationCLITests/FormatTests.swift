import DictationTestKit
import Foundation
import Testing

@Suite struct FormatTests {
    private func run(_ lines: [String], _ arguments: [String] = []) async throws -> (
        status: ChildProcess.ExitStatus, output: String, errors: String
    ) {
        let folder = try TemporaryDirectory()
        let input = URL(filePath: folder.path + "/spoken")
        try Data(lines.joined(separator: "\n").utf8).write(to: input)
        let program = try BuiltProgram.path(of: "dictation-cli")
        return try await ChildProcess.run(
            ["sh", "-c", "exec \"$0\" format \"$@\" <\"\(input.path)\"", program] + arguments,
            adding: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
    }

    /// Every case of the shared file, one run for each set of options.
    @Test func writesAllCasesWithoutAService() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "LanguageFilesTests/written-form-cases.tsv")
        var groups: [[String]: [(spoken: String, written: String)]] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        where !line.hasPrefix("#") {
            let columns = line.split(separator: "\t").map(String.init)
            groups[try arguments(columns[2]), default: []].append((columns[0], columns[1]))
        }
        #expect(groups.values.map(\.count).reduce(0, +) == 318)
        for (arguments, cases) in groups {
            let result = try await run(cases.map(\.spoken), arguments)
            #expect(result.status == .exited(0), "\(result.errors)")
            let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            try #require(lines.count == cases.count)
            for (line, example) in zip(lines, cases) { #expect(line == example.written, "\(example.spoken)") }
        }
    }

    private func arguments(_ note: String) throws -> [String] {
        try note.split(separator: "; ").dropFirst().flatMap { option -> [String] in
            let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
            // Some notes have a semicolon of their own.
            guard parts.count == 2 else { return [] }
            switch parts[0] {
            case "locale": return ["--language", parts[1]]
            case "engine": return ["--punctuated"]
            default:
                let map = try JSONDecoder().decode([String: String].self, from: Data(parts[1].utf8))
                return map.sorted { $0.key < $1.key }.flatMap { ["--replace", "\($0.key)=\($0.value)"] }
            }
        }
    }

    @Test func reportsUnknownLanguagesAndInvalidReplacements() async throws {
        let language = try await run(["hello"], ["--language", "tlh"])
        #expect(language.status == .exited(65))
        #expect(language.errors.contains("no table of the language tlh"))
        #expect(try await run(["hello"], ["--replace", "hello"]).status == .exited(64))
    }

    @Test func saysWhyWordsAreWrittenAsTheyAre() async throws {
        let result = try await run(
            ["the waiting period is over", "call five five five <p:300> one two one two"], ["--explain"])
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 4)
        #expect(lines[0] == "The waiting period is over")
        #expect(lines[1].contains(/“period” is read as words: .*-\d+ an auxiliary follows/))
        #expect(lines[2] == "Call 555-1212")
        #expect(lines[3].contains("is read as digits"))
    }

    @Test func writesTheOtherLanguages() async throws {
        let spoken = ["um fünfzehn uhr dreißig", "zwölf euro fünfzig"]
        #expect(try await run(spoken, ["--language", "de-AT"]).output == "Um 15:30 Uhr\n12,50\u{A0}€\n")
        #expect(try await run(["el tres de marzo"], ["--language", "es"]).output == "El 3 de marzo\n")
    }

    @Test func spokenCommandsEndBlockAndSession() async throws {
        let result = try await run(["hello <p> new block <p> there", "hello <p> stop dictation <p> there"])
        #expect(result.output == "Hello <commit> There\nHello\n")
    }
}
