import EventLoop
import Foundation
import Testing

@Suite struct OwnThreadTests {
    @Test func startsAThreadWithItsName() async throws {
        let (name, thread) = try await OwnThread.run("working-for-one-test") {
            (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8), thisThread)
        }
        #expect(name == "working-for-one\n")
        let own = try #require(thread)
        #expect(own != thisThread)
        let end = ContinuousClock.now + .seconds(10)
        while FileManager.default.fileExists(atPath: "/proc/\(own)"), ContinuousClock.now < end {
            await Task.yield()
        }
        #expect(!FileManager.default.fileExists(atPath: "/proc/\(own)"))
    }
}

/// As `<process>/task/<thread>`.
private var thisThread: String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
}
