import DictationCore
import DictationTestKit
import EventLoop
import Logging
import Testing

@testable import DictationBroker
@testable import DictationBus

/// Workers that are children of the broker.
@Suite struct ChildWorkersTests {
    /// The end of the service does not wait for a child that never was, or that has ended.
    @EventLoopActor
    @Test(.timeLimit(.minutes(1)), arguments: ["/nonexistent/dictation-worker", "/bin/false"])
    func aWorkerThatDoesNotWorkIsReported(program: String) async throws {
        let workers = try ChildWorkers(
            program: program, [], environment: [:],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        var refusals: [Refusal] = []
        workers.begin(brokerAt: "/nonexistent/socket") { uid, refusal in
            if uid == 7 { refusals.append(refusal) }
        }
        try workers.start(7)
        try await eventually("it is reported") { refusals.count == 1 }
        #expect(refusals.first?.kind == .engineFailed)
        await workers.allEnded()
    }
}
