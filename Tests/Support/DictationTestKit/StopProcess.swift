import Foundation
import Glibc

/// Stops a process with `SIGSTOP`, and returns when all its threads stand still.
///
/// `kill` returns earlier. On a busy machine the other threads run on until the one that received the signal runs.
public func stopProcess(_ process: Int32) throws {
    guard kill(process, SIGSTOP) == 0 else {
        throw TestFailure("process \(process): \(String(cString: strerror(errno)))")
    }
    let end = ContinuousClock.now + timeout
    while !standsStill(process) {
        guard ContinuousClock.now < end else { throw TestFailure("process \(process) does not stop") }
        usleep(500)
    }
}

private func standsStill(_ process: Int32) -> Bool {
    let folder = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.allSatisfy { thread in
        // A thread that has ended meanwhile has no file. Its name may contain anything, so the state follows the last ")".
        guard let line = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8),
            let name = line.lastIndex(of: ")")
        else { return true }
        return line[name...].dropFirst(2).first.map { "TtZX".contains($0) } ?? true
    }
}
