public import EventLoop

/// Waits on the loop for a condition, which is checked after each change.
@EventLoopActor
public final class ChangeWaiter {
    private var waiter: CheckedContinuation<Void, Never>?

    public nonisolated init() {}

    /// Something has changed.
    public func resume() { waiter.take()?.resume() }

    /// Waits until `condition` holds after a change, or until the timeout. One caller at a time.
    /// - Returns: whether it holds.
    public func wait(within timeout: Duration, for condition: @EventLoopActor () -> Bool) async -> Bool {
        var isOver = false
        let deadline = EventLoopActor.schedule(after: timeout) { [weak self] in
            isOver = true
            self?.resume()
        }
        defer { deadline.cancel() }
        while !condition(), !isOver { await withCheckedContinuation { waiter = $0 } }
        return condition()
    }
}
