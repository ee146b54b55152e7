/// The first of several results. Later ones are ignored.
public final class FirstResult<Output: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Output, any Error>?)
        case settled(Result<Output, any Error>)
    }

    private let state = Lock(State.open(nil))

    public init() {}

    /// - Returns: whether this is the first.
    public func settle(_ result: Result<Output, any Error>) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Output, any Error>?) in
            guard case .open(let waiter) = state else { return (false, nil) }
            state = .settled(result)
            return (true, waiter)
        }
        waiter?.resume(with: result)
        return isFirst
    }

    /// Waits for the result. For one task.
    public var value: Output {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Output, any Error>? in
                    if case .settled(let result) = state { return result }
                    state = .open(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        }
    }
}
