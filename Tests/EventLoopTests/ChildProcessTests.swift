import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

@Suite struct ChildProcessTests {
    private static let held = Lock<ChildProcess?>(nil)

    /// A thread may still hold the object when a test in a separate process ends.
    @Test func aChildEndsWithTheProcessThatStartedIt() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let child = try ChildProcess(["sleep", "1000"])
            Self.held.withLock { $0 = child }
            FileHandle.standardOutput.write(Data("\(child.pid)".utf8))
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let pid = try #require(Int32(output), "\(output)")
        try await eventually("it has ended") { kill(pid, 0) == -1 && errno == ESRCH }
    }
}
