import DictationTestKit
import Foundation
import Testing

/// The table of Tests/README.md.
@Suite struct PromiseTests {
    @Test func everyPromiseNamesTestsThatExist() throws {
        let folder = repository.appending(path: "Tests")
        let table = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 20)
        for row in rows {
            let names = row.matches(of: /`([A-Za-z0-9]+Tests)\.([A-Za-z0-9]+)`/)
            #expect(!names.isEmpty, "no test in: \(row)")
            for name in names {
                #expect(try Self.exists(String(name.2), in: String(name.1), below: folder), "\(name.0)")
            }
        }
    }

    /// Whether a file of that suite's name has a test of that name.
    private static func exists(_ test: String, in suite: String, below folder: URL) throws -> Bool {
        let targets = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        for target in targets {
            let file = target.appending(path: "\(suite).swift")
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            if try String(contentsOf: file, encoding: .utf8).contains("func \(test)(") { return true }
        }
        return false
    }
}
