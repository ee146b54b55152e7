import DBus
import DictationTestKit
import EventLoop
import Testing

/// The calls of one connection do not delay those of others, and stay in their order.
@Suite struct FairnessTests {
    @Test func aCallDoesNotWaitForThoseThatAnotherConnectionSentBefore() async throws {
        try await Fixture.with { fixture in
            let flooder = try Impostor(on: fixture.bus)
            let other = try Impostor(on: fixture.bus)
            let gate = try await LoopGate()
            try flooder.callNumber(0..<200)
            try other.callNumber(1000..<1002)
            try await other.waitUntilSent(to: fixture.service.uniqueName)
            gate.open()
            try await eventually("all are handled") { fixture.echo.numbers.count == 202 }
            let numbers = fixture.echo.numbers
            #expect(numbers.prefix(4) == [0, 1000, 1, 1001])
            #expect(numbers.filter { $0 < 1000 } == Array(0..<200))
        }
    }

    @Test func aConnectionThatLeavesIsReportedAfterItsCalls() async throws {
        try await Fixture.with { fixture in
            let handled = Lock<[BusName: Int]>([:])
            try await fixture.service.onVanished { name in
                handled.withLock { $0[name] = fixture.echo.numbers.count { $0 < 1000 } }
            }
            var leaving: Impostor? = try Impostor(on: fixture.bus)
            let name = try #require(leaving?.uniqueName)
            let other = try Impostor(on: fixture.bus)
            let gate = try await LoopGate()
            try leaving?.callNumber(0..<100)
            try other.callNumber(1000..<1100)
            leaving = nil
            gate.open()
            try await eventually("its end is reported") { handled.withLock { $0[name] } != nil }
            #expect(handled.withLock { $0[name] } == 100)
        }
    }

    /// The calls beyond the limit are refused, and those of others are not.
    @Test func everyCallOfAFloodHasOneReply() async throws {
        try await Fixture.with { fixture in
            let flooder = try Impostor(on: fixture.bus)
            let other = try Impostor(on: fixture.bus)
            let gate = try await LoopGate()
            try flooder.callNumber(0..<5000, expectsReplies: true)
            try other.callNumber(9000..<9010, expectsReplies: true)
            gate.open()
            var replies: [String: Int] = [:]
            try await eventually("all have replies") {
                replies.merge(flooder.takeReplies(), uniquingKeysWith: +)
                return replies.values.reduce(0, +) >= 5000
            }
            let refused = replies["org.freedesktop.DBus.Error.LimitsExceeded", default: 0]
            #expect(replies.keys.count == 2 && replies["", default: 0] + refused == 5000, "\(replies)")
            var answered: [String: Int] = [:]
            try await eventually("the other connection has its replies") {
                answered.merge(other.takeReplies(), uniquingKeysWith: +)
                return answered[""] == 10
            }
        }
    }
}
