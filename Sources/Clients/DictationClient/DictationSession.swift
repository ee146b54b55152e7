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

    /// Stops listening; the block stays unchanged.
    public func pause() async throws(DictationError) { try await client.acting(on: id).pause() }

    /// Continues listening, in the same block.
    public func resume() async throws(DictationError) { try await client.acting(on: id).resume() }

    /// Finishes the current block and returns its text; the next block begins at once.
    public func commit() async throws(DictationError) -> Final { try await client.acting(on: id).commit() }

    /// Discards the current block and returns its number.
    @discardableResult
    public func cancel() async throws(DictationError) -> UInt64 { try await client.acting(on: id).cancel() }

    /// Ends the session after the commits in progress. Text that is not committed is discarded.
    public func stop() async throws(DictationError) { try await client.acting(on: id).stop() }

    public func status() async throws(DictationError) -> SessionStatus {
        try await client.acting(on: id).status()
    }
}
