import DictationTestKit
import Foundation
import Testing

/// The faults for `packaging/mutants` apply to the present core.
@Suite struct MutantTests {
    @Test func everyFaultCanBePlanted() async throws {
        let folder = repository.appending(path: "Tests/Mutants").path
        let patches = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".patch") }
        #expect(patches.count >= 30)
        for patch in patches {
            let text = try String(contentsOfFile: "\(folder)/\(patch)", encoding: .utf8)
            // The first line describes the fault.
            #expect(text.prefix { $0 != "\n" }.hasSuffix("."), "\(patch)")
            #expect(
                text.matches(of: /\n\+\+\+ b\/Sources\/Core\/(DictationCore|Typing)\//).count == 1, "\(patch)"
            )
            let check = try await ChildProcess.run(
                [
                    "patch", "--dry-run", "--strip=1", "--directory=\(repository.path)",
                    "--input=\(folder)/\(patch)",
                ])
            #expect(check.status == .exited(0), "\(patch): \(check.output)")
            #expect(!check.output.contains("fuzz"), "\(patch): \(check.output)")
        }
    }
}
