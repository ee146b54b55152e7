/// A session that this program started.
///
/// ``stop()`` or closing the client ends it. If it lingers, closing the client does not.
public struct DictationSession: Sendable {
    /// Unique while the service runs.
    public let id: UInt64
    /// Its events, from its beginning.
    public let events: SessionEvents
    private let client: DictationClient

    init(id: UInt64, events: SessionEvents, client: DictationClient) {
        self.id = id
        self.events = events
        self.client = client
    }

    // Each goes to the client's actor at once and in one step, so that calls are sent in the order in which they are made.

    /// Stops listening; the block stays unchanged.
    nonisolated(nonsending) public func pause() async throws(DictationError) {
        try await client.pause(session: id)
    }

    /// Continues listening, in the same block.
    nonisolated(nonsending) public func resume() async throws(DictationError) {
        try await client.resume(session: id)
    }

    /// Finishes the current block and returns its text; the next block begins at once.
    nonisolated(nonsending) public func commit() async throws(DictationError) -> Final {
        try await client.commit(session: id)
    }

    /// Discards the current block and returns its number.
    @discardableResult
    nonisolated(nonsending) public func cancel() async throws(DictationError) -> UInt64 {
        try await client.cancel(session: id)
    }

    /// Ends the session after the commits in progress. Text that is not committed is discarded.
    nonisolated(nonsending) public func stop() async throws(DictationError) {
        try await client.stop(session: id)
    }

    /// Whether the user's history keeps its texts, from the current block on.
    nonisolated(nonsending) public func keepTexts(_ keeps: Bool) async throws(DictationError) {
        try await client.keepTexts(keeps, session: id)
    }

    nonisolated(nonsending) public func status() async throws(DictationError) -> SessionStatus {
        try await client.status(session: id)
    }
}
