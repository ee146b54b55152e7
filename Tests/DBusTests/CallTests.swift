import DBus
import DictationTestKit
import EventLoop
import Testing

@Suite struct CallTests {
    @Test func `A call is answered with typed values`() async throws {
        try await Fixture.with { fixture in
            let reply = try await fixture.call(
                "Join", [Value(["one", "two"]), Value(["separator": .string("+")])])
            let (text, count) = try reply.decoded(as: String.self, UInt32.self)
            #expect(text == "one+two")
            #expect(count == 2)
        }
    }
}
