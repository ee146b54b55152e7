import DBus
import DictationTestKit
import EventLoop
import Testing

/// Whether a connection has read its messages.
@Suite struct PingTests {
    @Test func aConnectionThatReadsReplies() async throws {
        try await Fixture.with { fixture in
            #expect(await ping(fixture.service.uniqueName, by: fixture.client))
        }
    }

    @Test func aStoppedConnectionRepliesWhenItReads() async throws {
        try await Fixture.with { fixture in
            let other = try Impostor(on: fixture.bus)
            let result = Lock<Bool?>(nil)
            await fixture.client.ping(other.uniqueName) { hasAnswered in result.withLock { $0 = hasAnswered }
            }
            // When this is answered, the bus has forwarded the ping.
            _ = try await fixture.call("Echo", [.variant(.bool(true))])
            #expect(result.withLock { $0 } == nil)
            for _ in 0..<100 where result.withLock({ $0 }) == nil {
                other.readAndDispatch()
                _ = try await fixture.call("Echo", [.variant(.bool(true))])
            }
            #expect(result.withLock { $0 } == true)
        }
    }

    @Test func anErrorIsAReplyToo() async throws {
        try await Fixture.with { fixture in
            let other = try Impostor(on: fixture.bus)
            let name = other.uniqueName
            let replies = await sendPing(name, by: fixture.client)
            _ = try await fixture.call("Echo", [.variant(.bool(true))])
            try other.answer(fixture.client.uniqueName, serials: 1...300, with: nil)
            #expect(await replies.first { _ in true } == true)
        }
    }

    @Test func theBusDoesNotReplyForOthers() async throws {
        try await Fixture.with { fixture in
            #expect(await !ping(":1.4000", by: fixture.client))
            var other: Impostor? = try Impostor(on: fixture.bus)
            let name = try #require(other?.uniqueName)
            let replies = await sendPing(name, by: fixture.client)
            _ = try await fixture.call("Echo", [.variant(.bool(true))])
            other = nil
            #expect(await replies.first { _ in true } == false)
        }
    }

    private func ping(_ name: BusName, by connection: Connection) async -> Bool {
        await sendPing(name, by: connection).first { _ in true } ?? false
    }

    /// Returns when the ping is sent.
    private func sendPing(_ name: BusName, by connection: Connection) async -> AsyncStream<Bool> {
        let (replies, continuation) = AsyncStream.makeStream(of: Bool.self)
        await connection.ping(name) { continuation.yield($0) }
        return replies
    }
}
