import DictationTestKit
import Foundation
import Testing

/// The extension's pure modules, in the shell's own JavaScript engine.
@Suite struct ModuleTests {
    @Test func thePureModulesPassTheirTests() async throws {
        let folder = repository.appending(path: "packaging/gnome-shell")
        let run = try await ChildProcess.run([
            "gjs", "-m", folder.appending(path: "tests/modules.test.js").path,
            folder.appending(path: "source").path,
        ])
        #expect(run.status == .exited(0), "\(run.errors)")
        #expect(run.output.contains("0 failed"))
    }
}
