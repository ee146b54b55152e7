import DBus
import DictationTestKit
import EventLoop
import Glibc
import Testing

@Suite struct CallTests {
    @Test func aCallReturnsTypedValues() async throws {
        try await Fixture.with { fixture in
            let reply = try await fixture.call(
                "Join", [Value(["one", "two"]), Value(["separator": .string("+"), "unknown": .bool(true)])])
            let (text, count) = try reply.decoded(as: String.self, UInt32.self)
            #expect(text == "one+two")
            #expect(count == 2)
        }
    }

    @Test func anErrorOfTheHandlerReachesTheCaller() async throws {
        try await Fixture.with { fixture in
            await #expect(throws: DBusError("org.example.Error.Mine", "why")) {
                try await fixture.call("Fail", [.string("org.example.Error.Mine"), .string("why")])
            }
            await #expect(throws: DBusError.failed("strange\u{FFFD}ly")) {
                try await fixture.call("FailStrangely")
            }
        }
    }

    @Test func anInvalidReplyBecomesAnError() async throws {
        try await Fixture.with { fixture in
            try await fixture.expectError(.invalidArgs, of: "ReturnNUL")
            try await fixture.expectError(.failed, of: "Lie")
        }
    }

    @Test func unknownMembersGetTheStandardError() async throws {
        try await Fixture.with { fixture in
            try await fixture.expectError(.unknownMethod, of: "Ech", [])
            try await fixture.expectError(.unknownMethod, of: "Ech", [], interface: nil)
            try await fixture.expectError(.unknownInterface, of: "Echo", [], interface: "org.example.Other")
            try await fixture.expectError(.unknownObject, of: "Echo", [], path: "/org/example/Echo/Below")
            try await fixture.expectError(.unknownInterface, of: "Echo", [], path: "/org/example")
            try await fixture.expectError(.unknownObject, of: "Echo", [], path: "/org/exampl")
            for body in [[], [.string("no variant")], [.variant(.bool(true)), .bool(true)]] as [[Value]] {
                try await fixture.expectError(.invalidArgs, of: "Echo", body)
            }
            #expect(
                try await fixture.call("Echo", [.variant(.bool(true))], interface: nil) == [
                    .variant(.bool(true))
                ])
            await fixture.service.unexport(.echo)
            try await fixture.expectError(.unknownObject, of: "Echo", [.variant(.bool(true))])
        }
    }

    @Test func handlesCallsInTheirOrder() async throws {
        try await Fixture.with { fixture in
            // One task on the connection's actor sends them all before any is answered.
            let numbers = (0..<500).map { UInt32($0) }
            try await fixture.client.callAll(numbers.map { ("Number", [.uint32($0)]) })
            _ = try await fixture.call("Number", [.uint32(500)])
            #expect(fixture.echo.numbers == numbers + [500])
        }
    }

    @Test func sendsRepliesInOrderWithSignals() async throws {
        try await Fixture.with { fixture in
            fixture.echo.speak(through: fixture.service)
            let monitor = try ChildProcess([
                "dbus-monitor", "--address", fixture.bus.address, "--profile", "sender='org.example.Echo'",
            ])
            // The bus's messages when the monitor starts.
            _ = try await monitor.line(of: .output) { $0.contains("NameLost") }
            for _ in 0..<3 {
                let reply = try await fixture.call("SayThenReturnThenSay", [.string("word")])
                #expect(reply == [.string("word")])
            }
            try await fixture.service.emit(path: "/", interface: .echo, member: "End")
            _ = try await monitor.line(of: .output) { $0.hasSuffix("End") }
            let kinds = monitor.lines(of: .output).compactMap { line in
                line.hasPrefix("mr") ? "reply" : line.hasSuffix("Said") ? "signal" : nil
            }
            #expect(kinds == Array(repeating: ["signal", "reply", "signal"], count: 3).flatMap(\.self))
            fixture.echo.speak(through: nil)
        }
    }

    @Test func anUnansweredCallFailsWhenReleased() async throws {
        try await Fixture.with { fixture in
            let call = Task { try await fixture.call("Wait", timeout: nil) }
            try await eventually("the call is begun") { fixture.echo.waiting == 1 }
            _ = fixture.echo.takeWaiting()
            await #expect(throws: DBusError.noReply("Wait was not answered: an error in the service")) {
                try await call.value
            }
        }
    }

    @Test func onlyTheFirstReplyIsSent() async throws {
        try await Fixture.with { fixture in
            for _ in 0..<10 {
                let reply = try await fixture.call("AnswerTwice")
                #expect(reply == [.uint32(1)])
            }
        }
    }

    @Test func aCallWithoutReplyIsHandled() async throws {
        try await Fixture.with { fixture in
            #expect(try await fixture.call("Number", [.uint32(1)], flags: .noReplyExpected) == [])
            #expect(try await fixture.call("NoSuchMethod", flags: .noReplyExpected) == [])
            _ = try await fixture.call("Number", [.uint32(3)])
            #expect(fixture.echo.numbers == [1, 3])
        }
    }

    @Test func aCancelledCallIgnoresItsReply() async throws {
        try await Fixture.with { fixture in
            let call = Task { try await fixture.call("Wait", timeout: nil) }
            try await eventually("the call is begun") { fixture.echo.waiting == 1 }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            fixture.echo.release()
            #expect(try await fixture.call("Echo", [.variant(.bool(true))]) == [.variant(.bool(true))])

            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await fixture.call("Number", [.uint32(1)])
            }
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            #expect(fixture.echo.numbers == [])
        }
    }

    @Test func aTimedOutCallIgnoresItsLateReply() async throws {
        try await Fixture.with { fixture in
            await #expect(throws: DBusError.noReply("no reply within 0.001 seconds")) {
                try await fixture.call("Wait", timeout: .milliseconds(1))
            }
            try await eventually("the call is begun") { fixture.echo.waiting == 1 }
            fixture.echo.release()
            #expect(try await fixture.call("Echo", [.variant(.bool(true))]) == [.variant(.bool(true))])
        }
    }

    @Test func everyCallHasOneOutcome() async throws {
        try await Fixture.with { fixture in
            let calls = (0..<60).map { number in
                Task { () -> Int in
                    switch number % 3 {
                    case 0: _ = try await fixture.call("Wait", timeout: nil)
                    case 1: _ = try? await fixture.call("Wait", timeout: nil)
                    default: _ = try await fixture.call("Number", [.uint32(UInt32(number))])
                    }
                    return number
                }
            }
            try await eventually("the calls are begun") { fixture.echo.waiting == 40 }
            for number in stride(from: 1, to: 60, by: 3) { calls[number].cancel() }
            for number in stride(from: 1, to: 60, by: 3) { #expect(try await calls[number].value == number) }
            fixture.echo.release()
            for number in 0..<60 { #expect(try await calls[number].value == number) }
        }
    }

    @Test func passesDescriptorsBothWays() async throws {
        try await Fixture.with { fixture in
            let pipe = try Descriptor.pipe()
            #expect(write(pipe.writing.rawValue, "hello", 5) == 5)
            let reply = try await fixture.call("Open", [.descriptor(pipe.reading)])
            let (text, copy) = try reply.decoded(as: String.self, Descriptor.self)
            #expect(text == "hello")
            #expect(write(pipe.writing.rawValue, "again", 5) == 5)
            var buffer = [UInt8](repeating: 0, count: 100)
            #expect(read(copy.rawValue, &buffer, buffer.count) == 5)
            #expect(fcntl(copy.rawValue, F_GETFD) & FD_CLOEXEC != 0)
        }
    }
}

extension Connection {
    /// Sends calls one after the other, in order, without waiting for replies.
    func callAll(_ calls: [(member: MemberName, body: [Value])]) async throws {
        for (member, body) in calls {
            _ = try await call(
                destination: .echo, path: .echo, interface: .echo, member: member, body,
                flags: .noReplyExpected)
        }
    }
}
