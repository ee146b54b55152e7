import DBus
import DictationTestKit
import EventLoop
import Testing

@Suite struct SignalTests {
    @Test func manySignalsArriveInOrder() async throws {
        try await Fixture.with { fixture in
            let stream = try await fixture.client.signals(MatchRule(interface: .echo, member: "Said"))
            for number in 0..<2000 {
                try await fixture.say("\(number)")
            }
            var expected = 0
            for await signal in stream {
                #expect(signal.body == [.string("\(expected)")])
                expected += 1
                if expected == 2000 { break }
            }
        }
    }

    @Test func aUnicastSignalReachesItsDestinationOnly() async throws {
        try await Fixture.with { fixture in
            let stranger = try await Connection(to: .custom(fixture.bus.address))
            let rule = MatchRule(interface: .echo)
            var heard = try await fixture.client.signals(rule).makeAsyncIterator()
            var overheard = try await stranger.signals(rule).makeAsyncIterator()
            try await fixture.say("for one", to: fixture.client.uniqueName)
            try await fixture.say("for all")
            #expect(await heard.next()?.body == [.string("for one")])
            #expect(await heard.next()?.body == [.string("for all")])
            #expect(await overheard.next()?.body == [.string("for all")])
            await stranger.close()
        }
    }

    @Test(arguments: [
        (MatchRule(path: .echo), true),
        (MatchRule(path: "/org/example"), false),
        (MatchRule(pathNamespace: "/org/example"), true),
        (MatchRule(pathNamespace: "/org/exam"), false),
        (MatchRule(pathNamespace: .root), true),
        (MatchRule(interface: "org.example.Other"), false),
        (MatchRule(member: "Whispered"), false),
        (MatchRule(sender: .echo), true),
        (MatchRule(sender: "org.example.Nobody"), false),
        (MatchRule(arguments: [0: "it's, 'quoted'"]), true),
        (MatchRule(arguments: [0: "something else"]), false),
        (MatchRule(arguments: [1: ""]), false),
    ])
    func aMatchRuleFiltersUnicastAndBroadcast(rule: MatchRule, matches: Bool)
        async throws
    {
        try await Fixture.with { fixture in
            let stream = try await fixture.client.signals(rule)
            let end = try await fixture.client.signals(MatchRule(member: "End"))
            try await fixture.say("it's, 'quoted'")
            try await fixture.say("it's, 'quoted'", to: fixture.client.uniqueName)
            try await fixture.service.emit(path: "/", interface: "org.example.End", member: "End")
            for await _ in end { break }
            await fixture.client.close()
            let heard = await stream.reduce(into: 0) { count, signal in
                if signal.member == "Said" { count += 1 }
            }
            #expect(heard == (matches ? 2 : 0))
        }
    }

    @Test func ignoresSignalsOfSendersThatDoNotOwnTheName() async throws {
        try await Fixture.with { fixture in
            let impostor = try await Connection(to: .custom(fixture.bus.address))
            var heard = try await fixture.client.signals(MatchRule(sender: .echo)).makeAsyncIterator()
            try await impostor.emit(
                path: .echo, interface: .echo, member: "Said", [.string("lie")], to: fixture.client.uniqueName
            )
            // A round trip through the bus after the forged signal.
            _ = try await impostor.owner(of: .echo)
            try await fixture.say("truth")
            #expect(await heard.next()?.body == [.string("truth")])

            // The name's owner changes, and signals of the new owner arrive.
            try await fixture.service.releaseName(.echo)
            #expect(try await impostor.requestName(.echo) == .primaryOwner)
            try await impostor.emit(path: .echo, interface: .echo, member: "Said", [.string("now true")])
            #expect(await heard.next()?.body == [.string("now true")])
            await impostor.close()
        }
    }

    @Test func removesUnusedMatchRules() async throws {
        try await Fixture.with { fixture in
            func rules() async throws -> UInt32 {
                let reply = try await fixture.client.call(
                    destination: .bus, path: .bus, interface: "org.freedesktop.DBus.Debug.Stats",
                    member: "GetConnectionStats", [.string(fixture.client.uniqueName.rawValue)])
                let statistics = try reply.decoded(as: [BusText: Value].self)
                return try #require(statistics["MatchRules"].flatMap { UInt32($0) })
            }
            #expect(try await rules() == 0)
            do {
                let dropped = try await fixture.client.signals(MatchRule(sender: .echo))
                let iterated = try await fixture.client.signals(MatchRule(sender: .echo))
                // One for the signals, and one for tracking the name's owner.
                #expect(try await rules() == 3)
                let reading = Task { for await _ in iterated {} }
                reading.cancel()
                await reading.value
                _ = dropped
            }
            try await eventually("no rules are left") { try await rules() == 0 }
        }
    }

    @Test func refusesAnInvalidMatchRule() async throws {
        let bus = try await PrivateBus(
            configuration: #"<limit name="max_match_rules_per_connection">3</limit>"#)
        try await Fixture.with(bus) { fixture in
            let kept = try await fixture.client.signals(MatchRule(member: "One"))
            let also = try await fixture.client.signals(MatchRule(sender: .echo))
            await #expect(throws: DBusError.self) {
                _ = try await fixture.client.signals(MatchRule(member: "One"))
            }
            await #expect(throws: DBusError.self) {
                _ = try await fixture.client.signals(MatchRule(arguments: [0: "a\0b"]))
            }
            var heard = kept.makeAsyncIterator()
            try await fixture.service.emit(path: "/", interface: .echo, member: "One")
            #expect(await heard.next()?.member == "One")
            withExtendedLifetime(also) {}
        }
    }
}

extension Fixture {
    /// Has the service send its signal.
    func say(_ word: String, to destination: BusName? = nil) async throws {
        try await service.emit(
            path: .echo, interface: .echo, member: "Said", [.string(word)], to: destination)
    }
}
