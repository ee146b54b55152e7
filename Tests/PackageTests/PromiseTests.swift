import DictationTestKit
import Foundation
import Testing

/// The table of Tests/README.md.
@Suite struct PromiseTests {
    private static let folder = repository.appending(path: "Tests")

    /// The rows of the table, without its heads.
    private static func rows() throws -> [Substring] {
        let file = folder.appending(path: "README.md")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| README |") }
        try #require(rows.count > 20)
        return rows
    }

    @Test func everyPromiseNamesTestsThatExist() throws {
        for row in try Self.rows() {
            let names = row.matches(of: /`([A-Za-z0-9]+Tests)\.([A-Za-z0-9]+)`/)
            #expect(!names.isEmpty, "no test in: \(row)")
            for name in names {
                #expect(try Self.exists(String(name.2), in: String(name.1)), "\(name.0)")
            }
        }
    }

    /// The first column is the number of a promise in README.md, or empty.
    @Test func everyPromiseOfTheReadmeIsInTheTable() throws {
        let readme = try String(contentsOf: repository.appending(path: "README.md"), encoding: .utf8)
        let list = try #require(readme.firstMatch(of: /What it promises:\n\n((?:- .*\n)+)/))
        let promises = list.1.split(separator: "\n").count
        let numbers = try Self.rows().compactMap { row in
            Int(row.dropFirst(2).prefix { $0 != "|" }.filter(\.isNumber))
        }
        #expect(promises == 11)
        #expect(Set(numbers) == Set(1...promises))
    }

    /// Whether a file of that suite's name has a test of that name.
    private static func exists(_ test: String, in suite: String) throws -> Bool {
        let targets = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        for target in targets {
            let file = target.appending(path: "\(suite).swift")
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            if try String(contentsOf: file, encoding: .utf8).contains("func \(test)(") { return true }
        }
        return false
    }
}
