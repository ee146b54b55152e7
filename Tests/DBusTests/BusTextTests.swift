import DBus
import DictationTestKit
import EventLoop
import Glibc
import Testing

/// Text that `String` needs seconds to hash and compare: a letter with 60,000 pairs of combining marks that are not in
/// canonical order.
private func marks(_ letter: String = "a", pairs: Int = 60_000) -> String {
    letter + String(repeating: "\u{301}\u{316}", count: pairs)
}

/// The processor time of this process, which has the service and the client: a busy machine does not add to it.
private func processorTime(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async rethrows -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    try await body()
    return now() - start
}

@Suite struct BusTextTests {
    @Test func comparesByBytes() {
        #expect(BusText("\u{E9}") != BusText("e\u{301}"))
        #expect(BusText("\u{E9}").hashValue != BusText("e\u{301}").hashValue)
        #expect(BusText("e\u{301}") < BusText("\u{E9}"))
        #expect(BusText("a") < BusText("ab"))
        let short = BusText(marks(pairs: 3))
        #expect(Set([short, BusText(marks(pairs: 3)), "a"]).count == 2)
    }

    /// As a `String`, each hash takes seconds.
    @Test func hashesAndComparesCombiningMarksInLinearTime() async {
        let one = BusText(marks())
        let other = BusText(marks() + "b")
        let duration = await processorTime {
            #expect(one != other)
            #expect(one < other)
            #expect(Value.string(one) != Value.string(other))
            #expect([one: 1, other: 2].count == 2)
        }
        #expect(duration < .milliseconds(200))
    }

    @Test func namesOfWordsAreNotComparedBeyondTheirLimit() async {
        enum Word: String { case microphone }
        #expect(Word(BusText("microphone")) == .microphone)
        let text = BusText(marks("microphone"))
        let duration = await processorTime { #expect(Word(text) == nil) }
        #expect(duration < .milliseconds(60))
    }
}

/// The limits of a call apply to every caller.
@Suite struct MessageLimitTests {
    @Test func longKeysAreRefused() async throws {
        try await Fixture.with { fixture in
            let words = Value([BusText]())
            func join(_ key: String) -> [Value] { [words, Value([BusText(key): .bool(true)])] }
            #expect(
                try await fixture.call("Join", join(String(repeating: "k", count: 255)))
                    == [.string(""), .uint32(0)])
            let duration = try await processorTime {
                try await fixture.expectError(.limitsExceeded, of: "Join", join(marks()))
                try await fixture.expectError(
                    .limitsExceeded, of: "Join", join(String(repeating: "k", count: 256)))
            }
            #expect(duration < .milliseconds(500))
        }
    }

    @Test func refusesMoreThanTheMembersLimits() async throws {
        try await Fixture.with { fixture in
            func join(_ words: [BusText]) -> [Value] { [Value(words), Value([BusText: Value]())] }
            let most = String(repeating: "x", count: 64 << 10)
            #expect(try await fixture.call("Join", join([BusText(most)])) == [.string(most), .uint32(1)])
            try await fixture.expectError(.limitsExceeded, of: "Join", join([BusText(most + "x")]))
            try await fixture.expectError(
                .limitsExceeded, of: "Join", join(Array(repeating: "", count: 5000)))
            let words = Array(repeating: BusText(String(repeating: "x", count: 16)), count: 4000)
            #expect(try await fixture.call("Join", join(words)).last == .uint32(4000))
            // From its size, without visiting the words.
            try await fixture.expectError(
                .limitsExceeded, of: "Join", join(words + words), saying: "arrays of at most 131072 bytes")
        }
    }

    @Test func propertyNamesAreComparedByBytesAndLimited() async throws {
        try await Fixture.with { fixture in
            for body: [Value] in [
                [.string("org.example.Echo"), .string(marks("Volume"))],
                [.string(marks("org.example.Echo")), .string("Volume")],
                [.string("org.example.Echo"), .string(marks("Volume", pairs: 10_000))],
                [.string(""), .string(String(repeating: "x", count: 256))],
            ] {
                let duration = await processorTime {
                    await #expect(throws: DBusError.self) {
                        try await fixture.call("Get", body, interface: .properties)
                    }
                }
                #expect(duration < .milliseconds(200))
            }
        }
    }

    @Test func closesUnexpectedDescriptorsAtOnce() async throws {
        try await Fixture.with { fixture in
            let file = Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
            let options = Value(["unknown": Value.descriptor(file)] as [BusText: Value])
            for _ in 0..<2000 {
                try await fixture.expectError(.invalidArgs, of: "Join", [Value([BusText]()), options])
            }
            // The limit of open files is 1024 or more, so 4000 descriptors would not fit.
            try await eventually("they are closed") {
                do {
                    return try await fixture.call("Open", [.descriptor(file)]).first == .string("")
                } catch let error as DBusError where error.name == .limitsExceeded {
                    return false
                }
            }
        }
    }
}

/// A session bus forwards as many descriptors with a message as the kernel allows.
@Suite struct ManyDescriptorsTests {
    @Test func aMessageFullOfDescriptorsDoesNotEndTheConnection() async throws {
        let bus = try await PrivateBus(configuration: #"<limit name="max_message_unix_fds">4096</limit>"#)
        try await Fixture.with(bus) { fixture in
            let file = Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
            for count in [16, 17, 100, 253] {
                let files = Value.array(Array(repeating: .descriptor(file), count: count), of: "h")
                let options = Value(["unknown": files] as [BusText: Value])
                try await fixture.expectError(.invalidArgs, of: "Join", [Value([BusText]()), options])
            }
            // Other threads close them.
            try await eventually("those are closed") {
                do {
                    return try await fixture.call("Open", [.descriptor(file)]).first == .string("")
                } catch let error as DBusError where error.name == .limitsExceeded {
                    return false
                }
            }
        }
    }
}
