import DictationTestKit
import Foundation
import Glibc

/// A program's output and cost.
struct Measured {
    var output: String
    var errors: String
    /// User and system time in seconds.
    var processorTime: Double
    /// Peak memory in KiB.
    var peakMemory: Int

    /// Runs a program on its own thread, with its output in files, because a pipe would need a reader.
    static func run(_ command: [String]) async throws -> Measured {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try wait(for: command) }) }
        }
    }

    private static func wait(for command: [String]) throws -> Measured {
        let folder = try TemporaryDirectory()
        let files = [folder.path(of: "output"), folder.path(of: "errors")]
        let memory = folder.path(of: "memory")
        // The kernel counts the memory of the parent before exec, which may be more than the program's own, so a small
        // program is started in between.
        let command = ["time", "--quiet", "--format=%M", "--output=\(memory)"] + command
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (index, file) in files.enumerated() {
            posix_spawn_file_actions_addopen(
                &actions, Int32(index + 1), file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        let code = posix_spawnp(&pid, command[0], &actions, nil, &arguments, environ)
        guard code == 0 else { throw TestFailure("\(command[0]): \(String(cString: strerror(code)))") }
        var usage = rusage()
        var status: Int32 = 0
        while wait4(pid, &status, 0, &usage) < 0 && errno == EINTR {}
        let texts = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
        guard status == 0 else {
            throw TestFailure(
                "\(command.joined(separator: " ")) ended with \(status): \(texts[1].suffix(500))")
        }
        let kibibytes = try String(contentsOfFile: memory, encoding: .utf8).trimmingCharacters(in: .newlines)
        guard let peakMemory = Int(kibibytes) else { throw TestFailure("the memory in KiB: \(kibibytes)") }
        return Measured(
            output: texts[0], errors: texts[1],
            processorTime: usage.ru_utime.seconds + usage.ru_stime.seconds, peakMemory: peakMemory)
    }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}
