import DictationTestKit
import Foundation
import Testing

/// Properties of the sources that the compiler does not check.
@Suite struct SourceTests {
    /// A line of a file below `Sources`.
    private struct Line: CustomStringConvertible {
        let file: String
        let number: Int
        let text: String
        /// The three lines before it.
        let context: ArraySlice<Substring>

        var isComment: Bool { text.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }

        var description: String { "\(file):\(number): \(text)" }
    }

    private static func lines(of target: String) throws -> [Line] {
        let folder = repository.appending(path: target)
        let enumerator = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return try enumerator.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.flatMap {
            file in
            let lines = try String(contentsOf: file, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
            let name = String(file.path.dropFirst(repository.path.count + 1))
            return lines.enumerated().map { index, text in
                Line(
                    file: name, number: index + 1, text: String(text),
                    context: lines[max(0, index - 3)..<index])
            }
        }
    }

    private static func code() throws -> [Line] {
        let lines = try lines(of: "Sources")
        try #require(lines.count > 20_000)
        return lines.filter { !$0.isComment }
    }

    /// The event loop's isolation domain is one global actor, so that the compiler checks calls in it.
    @Test func isolationIsCheckedByTheCompiler() throws {
        let code = try Self.code()
        let assumptions = code.filter { $0.text.contains("assumeIsolated") }
        #expect(assumptions.count <= 5, "\(assumptions)")
        let casts = code.filter { $0.text.contains("unsafeBitCast") }
        #expect(casts.map(\.file) == ["Sources/Foundations/EventLoop/EventLoopActor.swift"])
    }

    /// `swift build -c release` builds every target but the tests, without what `@testable` needs.
    @Test func onlyTestsAndDebugBuildsImportTestably() throws {
        let lines = try Self.lines(of: "Sources") + Self.lines(of: "Tests/Support")
        var depths: [String: Int] = [:]
        var imports = 0
        for line in lines {
            let text = line.text.trimmingCharacters(in: .whitespaces)
            if text == "#if DEBUG" || depths[line.file, default: 0] > 0, text.hasPrefix("#if") {
                depths[line.file, default: 0] += 1
            } else if text == "#else" || text == "#endif", depths[line.file, default: 0] > 0 {
                depths[line.file, default: 0] -= 1
            } else if text.hasPrefix("@testable import") {
                imports += 1
                #expect(depths[line.file, default: 0] > 0, "\(line)")
            }
        }
        #expect(imports > 0)
    }

    /// A comment proves each declaration that the compiler does not check.
    @Test func everythingUncheckedHasAProof() throws {
        let marks = ["@unchecked Sendable", "nonisolated(unsafe)", "Unmanaged", "unsafeBitCast"]
        let unchecked = try Self.code().filter { line in marks.contains { line.text.contains($0) } }
        #expect(unchecked.count > 5)
        for line in unchecked {
            #expect(line.context.contains { $0.contains("//") }, "\(line)")
        }
    }

    /// A type name is used once in the installed programs. ``DictationClient`` repeats names of the core, for programs
    /// that do not import the core. A command of `dictation-cli` is named after its verb.
    @Test func typesHaveDifferentNames() async throws {
        let package = try await PackageDescription.dumped()
        let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
        var shipped: Set<String> = []
        var next = ["dictationd", "dictation-worker", "dictation-cli"]
        while let name = next.popLast() {
            guard let target = targets[name], shipped.insert(name).inserted else { continue }
            next += target.dependencyNames
        }
        shipped.remove("DictationClient")
        #expect(
            shipped.isSuperset(of: [
                "EventLoop", "DBus", "DictationCore", "DictationBroker", "DictationWorker", "Microphone",
            ]))

        let declaration =
            /^(?:@\w+ )*(?:(?:public|private|fileprivate|final|indirect|nonisolated) )*(?:class|struct|enum|actor|protocol|typealias) (?<name>\w+)/
        var files: [Substring: Set<String>] = [:]
        for target in shipped {
            for line in try Self.lines(of: targets[target]?.path ?? "Sources/\(target)") {
                guard !line.file.contains("/Commands/"),
                    let match = line.text.prefixMatch(of: declaration)
                else { continue }
                files[match.name, default: []].insert(line.file)
            }
        }
        #expect(files.count > 300)
        for (name, files) in files { #expect(files.count == 1, "\(name): \(files.sorted())") }
    }

    /// The packages contain no data about languages and regions (`packaging/empty-icu-data`). Without it these types
    /// of Foundation stop the program.
    @Test func sourcesDoNotFormatDatesOrNumbersWithFoundation() throws {
        let types = /\b\w*(?:Date|Number)Formatter\b|\b(?:Locale|Calendar|TimeZone)\b|\.formatted\(/
        let code = try Self.code()
        let files = Set(code.filter { $0.text.contains("import Foundation") }.map(\.file))
        #expect(files.count > 5)
        let uses = code.filter { files.contains($0.file) && $0.text.contains(types) }
        #expect(uses.isEmpty, "\(uses)")
    }

    /// Longer files should be split.
    @Test func filesAreShort() throws {
        let lengths = Dictionary(grouping: try Self.lines(of: "Sources"), by: \.file).mapValues(\.count)
        for (file, length) in lengths {
            #expect(length <= 501, "\(file) has \(length - 1) lines, and 500 are the limit")
        }
    }

    /// Words and phrases that were replaced by the terms of the field, in names, comments and messages.
    private static let replacedWords = [
        "bringer", "errand", "hush", "in vain", "is no YAML", "patience", "seeOff", "SegmentBoard",
        "SegmentCrew", "SpeechGate", "stillborn", "strangeness", "whereabouts", "whoever",
    ]

    @Test(arguments: ["Sources", "Tests"]) func namesAndCommentsUsePlainWords(folder: String) throws {
        for line in try Self.lines(of: folder) where !line.file.hasSuffix("/SourceTests.swift") {
            for word in Self.replacedWords {
                #expect(!line.text.localizedCaseInsensitiveContains(word), "“\(word)” in \(line)")
            }
        }
    }

    /// Tests have one style of names: `resumesAfterTheAudioServerRestarts`.
    @Test func testsAreNamedInOneStyle() throws {
        let title = /@(?:Test|Suite)\(\s*"|func `/
        for line in try Self.lines(of: "Tests") where !line.file.hasSuffix("/SourceTests.swift") {
            #expect(!line.text.contains(title), "\(line)")
        }
    }
}
