import EventLoop
import Testing

@Suite struct WakeSignalTests {
    @Test func aSignalBeforeTheWaitIsRemembered() async throws {
        let signal = WakeSignal()
        signal.send()
        try await OwnThread.run("waiting") { signal.wait() }
    }

    @Test func wakesAThreadThatWaits() async throws {
        let (waiting, answering) = (WakeSignal(), WakeSignal())
        async let answers: Void = OwnThread.run("answering") {
            for _ in 0..<1000 {
                waiting.wait()
                answering.send()
            }
        }
        try await OwnThread.run("asking") {
            for _ in 0..<1000 {
                waiting.send()
                answering.wait()
            }
        }
        try await answers
    }
}
