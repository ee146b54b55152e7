import DictationTestKit
import EventLoop

typealias Instant = ContinuousClock.Instant

/// Timed observations, and the tasks that wait for more.
final class Timeline<Entry: Sendable>: Sendable {
    private struct Waiter {
        let attempt: @Sendable (Instant, Entry) -> Bool
        let fail: @Sendable () -> Void
        let deadline: EventLoop.Timer
    }

    private struct State {
        var entries: [(at: Instant, entry: Entry)] = []
        var waiters: [UInt64: Waiter] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let loop: EventLoop
    private let state = Lock(State())

    /// - Parameter loop: for the timeouts of waits.
    init(on loop: EventLoop) {
        self.loop = loop
    }

    var last: Entry? { state.withLock { $0.entries.last?.entry } }

    func note(_ entry: Entry, at time: Instant = .now) {
        state.withLock { state in
            state.entries.append((time, entry))
            for (id, waiter) in state.waiters where waiter.attempt(time, entry) {
                waiter.deadline.cancel()
                state.waiters[id] = nil
            }
        }
    }

    /// All observations since then.
    func entries(since start: Instant) -> [Entry] {
        state.withLock { Self.entries(of: $0, since: start).map(\.entry) }
    }

    /// The first observation since then, present or future, with a result.
    func first<Found: Sendable>(
        _ what: String, since start: Instant, within timeout: Duration = timeout,
        _ find: @escaping @Sendable (Entry) -> Found?
    ) async throws -> (at: Instant, found: Found) {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { state in
                for (time, entry) in Self.entries(of: state, since: start) {
                    if let found = find(entry) { return continuation.resume(returning: (time, found)) }
                }
                state.lastWaiter += 1
                let id = state.lastWaiter
                let deadline = loop.schedule(after: timeout) { [self] in
                    self.state.withLock { $0.waiters.removeValue(forKey: id) }?.fail()
                }
                state.waiters[id] = Waiter(
                    attempt: { time, entry in
                        guard time >= start, let found = find(entry) else { return false }
                        continuation.resume(returning: (time, found))
                        return true
                    },
                    fail: { continuation.resume(throwing: TestFailure("\(what): not within \(timeout)")) },
                    deadline: deadline)
            }
        }
    }

    /// When the condition first held since then.
    func time(
        of what: String, since start: Instant, where holds: @escaping @Sendable (Entry) -> Bool
    ) async throws -> Instant {
        try await first(what, since: start) { holds($0) ? true : nil }.at
    }

    private static func entries(of state: State, since start: Instant) -> ArraySlice<
        (at: Instant, entry: Entry)
    > {
        let before = state.entries.lastIndex { $0.at < start }
        return state.entries[(before.map { $0 + 1 } ?? 0)...]
    }
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
}
