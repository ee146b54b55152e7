import DBus
import DictationTestKit
import EventLoop
import Testing

@Suite struct ValueTests {
    @Test func valuesRoundTrip() async throws {
        let seed = TestRandom().seed
        var random = RandomValues(seed: seed)
        try await Fixture.with { fixture in
            for _ in 0..<300 {
                let value = random.value(depth: 5)
                let reply = try await fixture.call("Echo", [.variant(value)])
                #expect(reply == [.variant(value)], "seed \(seed)")
            }
        }
    }

    @Test func convertsSwiftValuesBothWays() {
        func check<T: ValueConvertible & Equatable>(_ value: T, _ signature: Signature) {
            #expect(Value(value).signature == signature)
            #expect(T.signature == signature)
            #expect(T(Value(value)) == value)
            #expect(T(.structure([Value(value)])) == nil)
        }
        check(UInt8(1), "y")
        check(true, "b")
        check(Int16.min, "n")
        check(UInt16.max, "q")
        check(Int32.min, "i")
        check(UInt32.max, "u")
        check(Int64.min, "x")
        check(UInt64.max, "t")
        check(0.1, "d")
        check("text", "s")
        check("/path" as ObjectPath, "o")
        check("a{sv}" as Signature, "g")
        check(Value.string("any"), "v")
        check([UInt32]([1, 2]), "au")
        check([[String]](), "aas")
        check(["a": "b"] as [BusText: String], "a{ss}")
        check([UInt32(1): true], "a{ub}")
        check(["key": Value.array([.uint32(1)], of: "u")] as [BusText: Value], "a{sv}")
        check([["key": Value.bool(true)]] as [[BusText: Value]], "aa{sv}")
    }

    @Test func unwrapsVariantsOfOptions() throws {
        let options: [BusText: Value] = ["linger": .bool(true)]
        #expect(
            Value(options)
                == .dictionary([.string("linger"): .variant(.bool(true))], key: "s", value: "v"))
        let received = try #require([BusText: Value](Value(options)))
        #expect(received["linger"] == .bool(true))
        #expect(received["linger"].flatMap { Bool($0) } == true)
    }

    @Test func aTypeMismatchNamesBothTypes() throws {
        let body: [Value] = [.uint32(1), .string("two")]
        let (number, text) = try body.decoded(as: UInt32.self, String.self)
        #expect(number == 1)
        #expect(text == "two")
        for decode in [
            { _ = try body.decoded(as: UInt32.self) },
            { _ = try body.decoded(as: UInt32.self, String.self, String.self) },
        ] {
            #expect(throws: DBusError.self) { try decode() }
        }
        #expect(throws: DBusError.invalidSignature("expected (us), not (u)")) {
            try [.uint32(1)].decoded(as: UInt32.self, String.self)
        }
    }

    private static let unsendable: [(Value, ErrorName)] = [
        (.string("a\0b"), .invalidArgs),
        (.array([.string("\0")], of: "s"), .invalidArgs),
        (.variant(.variant(.string("\0"))), .invalidArgs),
        (.structure([]), .invalidSignature),
        (.array([.uint32(1)], of: "s"), .invalidSignature),
        (.array([], of: "ss"), .invalidSignature),
        (.array([], of: ""), .invalidSignature),
        (.dictionary([:], key: "v", value: "s"), .invalidSignature),
        (.dictionary([:], key: "s", value: "ss"), .invalidSignature),
        (.dictionary([.string("a"): .bool(true)], key: "s", value: "s"), .invalidSignature),
        (.dictionary([.bool(true): .bool(true)], key: "s", value: "b"), .invalidSignature),
        (.variant(.structure([])), .invalidSignature),
        (.descriptor(Descriptor(owning: -1)), .limitsExceeded),
        (nested(33) { .array([$0], of: $0.signature) }, .invalidSignature),
        (nested(33) { .structure([$0]) }, .invalidSignature),
        (nested(65) { .variant($0) }, .limitsExceeded),
        (nested(300) { .variant(.structure([$0])) }, .limitsExceeded),
    ]

    @Test func refusesInvalidValuesAndStaysConnected() async throws {
        try await Fixture.with { fixture in
            for (value, error) in Self.unsendable {
                for body in [[value], [.variant(value)]] {
                    try await fixture.expectError(error, of: "Echo", body)
                }
                await #expect(throws: DBusError.self) {
                    try await fixture.service.emit(path: .echo, interface: .echo, member: "Said", [value])
                }
                let reply = try await fixture.call("Echo", [.variant(.bool(true))])
                #expect(reply == [.variant(.bool(true))])
            }
        }
    }

    @Test func deeplyNestedValuesArrive() async throws {
        try await Fixture.with { fixture in
            for value in [
                nested(31) { .structure([$0]) }, nested(32) { .array([$0], of: $0.signature) },
                nested(63) { .variant($0) },
            ] {
                let reply = try await fixture.call("Echo", [.variant(value)])
                #expect(reply == [.variant(value)])
            }
        }
    }
}

private func nested(_ depth: Int, _ wrap: (Value) -> Value) -> Value {
    (0..<depth).reduce(.byte(1)) { value, _ in wrap(value) }
}
