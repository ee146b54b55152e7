import DictationTestKit
import Foundation

/// Programs that keep running when started with the argument 1000, each a separate file.
final class ProgramFolder: Sendable {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(in: "/var/tmp")
        // Other users run them.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
    }

    func path(_ name: String) -> String {
        directory.path(of: name)
    }

    /// Copied by another process: a file that is open for writing cannot be executed, and a process forked meanwhile
    /// would inherit the descriptor.
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
