import DBus
import DictationTestKit
import EventLoop
import Testing

/// A reply counts only if it comes from the call's destination.
@Suite struct ReplyTests {
    @Test(arguments: ["forged" as String?, nil], [true, false])
    func repliesOfOthersAreIgnored(text: String?, byUniqueName: Bool) async throws {
        try await Fixture.with { fixture in
            let impostor = try Impostor(on: fixture.bus)
            let destination = byUniqueName ? fixture.service.uniqueName : BusName.echo
            async let reply = fixture.client.call(
                destination: destination, path: .echo, interface: .echo, member: "Wait", timeout: nil)
            try await eventually("the service has the call") { fixture.echo.waiting == 1 }
            try impostor.answer(fixture.client.uniqueName, serials: 1...300, with: text)
            // When this is answered, the client has received the forged replies.
            _ = try await fixture.call("Echo", [.variant(.bool(true))])
            fixture.echo.release()
            #expect(try await reply == [])
        }
    }

    /// The name's owner changes while a call waits: the former owner may still reply.
    @Test func theFormerOwnerOfANameMayAnswer() async throws {
        try await Fixture.with { fixture in
            async let reply = fixture.call("Wait")
            try await eventually("the service has the call") { fixture.echo.waiting == 1 }
            try await fixture.service.releaseName(.echo)
            fixture.echo.release()
            #expect(try await reply == [])
        }
    }

    /// More names than are tracked at a time.
    @Test func callsToManyNamesAreAnswered() async throws {
        try await Fixture.with { fixture in
            let names = (0..<40).compactMap { BusName("org.example.Echo\($0)") }
            for name in names { _ = try await fixture.service.requestName(name) }
            for name in names + names.reversed() {
                let reply = try await fixture.client.call(
                    destination: name, path: .echo, interface: .echo, member: "Echo",
                    [.variant(.bool(true))])
                #expect(reply == [.variant(.bool(true))])
            }
        }
    }
}
