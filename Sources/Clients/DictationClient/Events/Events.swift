/// The events of one session, in order, from its beginning. For one loop; earlier events are kept until it starts.
///
/// Ends when the session has stopped. Throws if the service has ended or the bus is lost.
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

/// The events of all sessions for this connection, from the time of the call. For one loop.
///
/// Continues after restarts of the service. Throws if the bus is lost.
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
