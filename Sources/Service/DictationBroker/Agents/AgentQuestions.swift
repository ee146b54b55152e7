import DictationBus
import EventLoop

/// The pending questions of one registration. They end with it.
final class AgentQuestions: Sendable {
    private struct Open {
        var isOver = false
        var tasks: [UInt64: Task<String, any Error>] = [:]
    }

    private let open = Lock(Open())

    /// Waits for an answer. Throws `CancellationError` if the registration or the caller's task ends first.
    func ask(_ cookie: UInt64, _ body: @escaping @Sendable () async throws -> String) async throws -> String {
        let task = open.withLock { open -> Task<String, any Error>? in
            if open.isOver { return nil }
            let task = Task { try await body() }
            open.tasks[cookie] = task
            return task
        }
        guard let task else { throw CancellationError() }
        defer { open.withLock { $0.tasks[cookie] = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func end() {
        let tasks = open.withLock { open in
            open.isOver = true
            return open.tasks.values.map { $0 }
        }
        for task in tasks { task.cancel() }
    }
}
