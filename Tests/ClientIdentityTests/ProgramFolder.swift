import DictationTestKit
import Foundation

/// Programs that stay when started with the argument 1000, each a file of its own.
final class ProgramFolder: Sendable {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        // Other users' processes are to run them.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
    }

    func path(_ name: String) -> String {
        directory.path(of: name)
    }

    /// Copied by another process: were it open for writing here, a process begun meanwhile would keep it so for a moment,
    /// and what is open for writing cannot be run.
    /// - Returns: the program's path.
    @discardableResult
    func add(_ name: String, copying program: String = "/bin/sleep", mode: String = "755") async throws
        -> String
    {
        let result = try await ChildProcess.run(["install", "--mode=\(mode)", program, path(name)])
        guard result.status == .exited(0) else { throw TestFailure(result.errors) }
        return path(name)
    }
}
