import DictationCore
import Synchronization
import Testing

@Suite struct PassageEngineTests {
    /// Writes down what it is asked for.
    private final class Diary: PassageEngine, PassageStream {
        let name = "diary"
        let isLocal = true
        let lines = Mutex<[String]>([])

        private func add(_ line: String) { lines.withLock { $0.append(line) } }

        func describe(_ completion: @escaping @Sendable (Result<EngineDescription, EngineFailure>) -> Void) {}

        func open(
            _ options: PassageOptions, _ events: @escaping @Sendable (PassageEvent) -> Void
        ) -> any PassageStream {
            add("open")
            return self
        }

        func send(_ samples: [Int16]) { add("send \(samples.count)") }
        func finish(within timeout: Duration) { add("finish within \(timeout)") }
        func cancel() { add("cancel") }
    }

    @Test func aCompletePassageIsSentBeforeItIsFinished() {
        let engine = Diary()
        let cancel = engine.recognize([1, 2, 3], PassageOptions(languages: ["en"]), timeout: .seconds(5)) {
            _ in
        }
        cancel()
        #expect(engine.lines.withLock { $0 } == ["open", "send 3", "finish within 5.0 seconds", "cancel"])
    }
}
