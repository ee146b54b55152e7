/// A session that this program started.
///
/// It ends with ``stop()``, or when the client is closed or goes away, unless it lingers.
public struct DictationSession: Sendable {
    /// Unique while the service runs.
    public let id: UInt64
    /// What it tells, from its beginning.
    public let events: SessionEvents
    private let client: DictationClient

    init(id: UInt64, events: SessionEvents, client: DictationClient) {
        self.id = id
        self.events = events
        self.client = client
    }

    /// Stops listening; the block stays as it is.
    public func pause() async throws(DictationError) { try await client.acting(on: id).pause() }

    /// Listens again, in the same block.
    public func resume() async throws(DictationError) { try await client.acting(on: id).resume() }

    /// Finishes the current block and returns its text; the next block begins at once.
    public func commit() async throws(DictationError) -> Final { try await client.acting(on: id).commit() }

    /// Discards the current block, and returns its number.
    @discardableResult
    public func cancel() async throws(DictationError) -> UInt64 { try await client.acting(on: id).cancel() }

    /// Ends the session, when the commits in progress are done. What is not committed is discarded.
    public func stop() async throws(DictationError) { try await client.acting(on: id).stop() }

    public func status() async throws(DictationError) -> SessionStatus {
        try await client.acting(on: id).status()
    }
}
