/// What one session tells, in order, from its beginning. One loop reads it; what comes before the loop does is kept.
///
/// Ends when the session has stopped. Throws where the service or the bus has gone.
public struct SessionEvents: AsyncSequence, Sendable {
    let queue: EventQueue

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let queue: EventQueue

        public mutating func next() async throws(DictationError) -> DictationEvent? {
            try await queue.next()?.event
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }
}

/// What the service tells this connection, of all sessions, from when it was asked for. One loop reads it.
///
/// Goes on when the service is restarted. Throws where the bus has gone.
public struct ServiceEvents: AsyncSequence, Sendable {
    let queue: EventQueue

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let queue: EventQueue

        public mutating func next() async throws(DictationError) -> SessionEvent? {
            try await queue.next()
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }
}
