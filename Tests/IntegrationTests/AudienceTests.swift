import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// The receivers of text.
@Suite struct AudienceTests {
    @Test func clientsGetSignalsOfTheirOwnSession() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let one = try await TestClient(on: rig)
            let other = try await TestClient(on: rig)
            let stranger = try await TestClient(on: rig)
            let first = try await one.dictation.start(options: [:])
            try await one.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await one.dictation.commit().text == "t500")

            let second = try await other.dictation.start(options: [:])
            try await other.state("listening")
            try await rig.say(Speech.tones(600), into: microphone)
            #expect(try await other.dictation.commit().text == "t600")

            #expect(first != second)
            _ = try await one.final(1)
            _ = try await other.final(1)
            #expect(one.texts.allSatisfy { !$0.contains("t600") })
            #expect(other.texts.allSatisfy { !$0.contains("t500") })
            #expect(stranger.signals.isEmpty, "\(stranger.signals)")
        }
    }

    @Test func onlySubscribersOfTheUserGetALingeringSessionsText() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let subscriber = try await TestClient(on: rig)
            let indicator = try await TestClient(on: rig)
            let stranger = try await TestClient(on: rig)
            try await subscriber.dictation.subscribe(options: ["text": .bool(true)])
            try await indicator.dictation.subscribe(options: [:])
            _ = try await rig.busctl("Start", ["a{sv}", "1", "linger", "b", "true"])
            try await subscriber.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            _ = try await rig.busctl("Commit")
            #expect(try await subscriber.final(1) == "t500")
            try await indicator.state("listening")
            #expect(indicator.texts.isEmpty)
            #expect(stranger.signals.isEmpty)
        }
    }

    @Test func aClientThatHadASessionDoesNotActOnTheLingeringOne() async throws {
        try await withRig(tones) { rig in
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.dictation.stop()
            _ = try await rig.busctl("Start", ["a{sv}", "1", "linger", "b", "true"])
            let error = await #expect(throws: DBusError.self) { try await client.dictation.pause() }
            #expect(error?.name == DictationInterface.errorName(.notRunning))
        }
    }

    @Test func propertiesArePublicAndContainNoText() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let watcher = try await TestClient(on: rig)
            let changes = try await watcher.connection.signals(
                MatchRule(interface: .properties, member: "PropertiesChanged"))
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            try await client.dictation.stop()
            var states: [String] = []
            for await change in changes {
                let (_, changed, _) = try change.body.decoded(
                    as: String.self, [BusText: Value].self, [String].self)
                #expect(!"\(changed)".contains("t500"))
                if let state = changed["State"].flatMap({ String($0) }) { states.append(state) }
                if states.last == "idle" { break }
            }
            #expect(states.contains("listening"))
        }
    }
}
