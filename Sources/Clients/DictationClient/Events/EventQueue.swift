import EventLoop

/// Passes events from the connection to one reader.
final class EventQueue: Sendable {
    private struct State {
        var backlog = EventBacklog()
        var reader: Reader?
        var end: Result<Void, DictationError>?
    }

    private typealias Reader = CheckedContinuation<Result<SessionEvent?, DictationError>, Never>

    private let state = Lock(State())

    func append(_ event: SessionEvent) {
        let reader = state.withLock { state -> Reader? in
            guard state.end == nil else { return nil }
            if state.reader == nil { state.backlog.append(event) }
            return state.reader.take()
        }
        reader?.resume(returning: .success(event))
    }

    func removeAll(where isUnwanted: (SessionEvent) -> Bool) {
        state.withLock { $0.backlog.removeAll(where: isUnwanted) }
    }

    func contains(where isWanted: (SessionEvent) -> Bool) -> Bool {
        state.withLock { $0.backlog.contains(where: isWanted) }
    }

    /// Nothing follows the end of a session.
    var holdsEnd: Bool {
        state.withLock { $0.backlog.holdsEnd }
    }

    /// Queued events can still be read.
    func finish(_ end: Result<Void, DictationError>) {
        let reader = state.withLock { state -> Reader? in
            guard state.end == nil else { return nil }
            state.end = end
            return state.reader.take()
        }
        reader?.resume(returning: end.map { nil })
    }

    /// Nil at the end, or if the task is cancelled.
    func next() async throws(DictationError) -> SessionEvent? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (reader: Reader) in
                if let result = accept(reader) { reader.resume(returning: result) }
            }
        } onCancel: {
            state.withLock { $0.reader.take() }?.resume(returning: .success(nil))
        }
        return try result.get()
    }

    /// What is available at once; nil if the reader has to wait.
    private func accept(_ reader: Reader) -> Result<SessionEvent?, DictationError>? {
        state.withLock { state in
            precondition(state.reader == nil, "events are read by one loop at a time")
            if let event = state.backlog.popFirst() { return .success(event) }
            if let end = state.end { return end.map { nil } }
            if Task.isCancelled { return .success(nil) }
            state.reader = reader
            return nil
        }
    }
}
