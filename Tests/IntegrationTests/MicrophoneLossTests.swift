import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// Microphones are plugged in and out during a session of the real daemon: sound flows again, and speech is recognised.
@Suite struct MicrophoneLossTests {
    private static let favourite = ["priority.session": "9000"]

    @Test func anotherMicrophoneTakesOverWithoutAnInterruption() async throws {
        try await withRig(tones) { rig in
            let spare = try await rig.plugIn("spare")
            let used = try await rig.plugIn("used", Self.favourite)
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: used, on: rig)
            let before = try await rig.usageAtRest(afterPausing: client)
            used.unplug()
            try await client.comes("device-removed: used → spare")
            try await client.hears(900, from: spare, on: rig)
            #expect(client.story == ["device-removed: used → spare"])
            #expect(try await client.dictation.commit().text == "t500 t900")
            try await rig.expectAsBefore(before)
        }
    }

    @Test func usesTheNextMicrophoneThatAppears() async throws {
        try await withRig(tones) { rig in
            let used = try await rig.plugIn("used")
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: used, on: rig)
            let before = try await rig.usageAtRest(afterPausing: client)
            used.unplug()
            try await client.comes("Interrupted no-source")
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            let other = try await rig.plugIn("other")
            try await client.comes("Resumed no-source")
            try await client.hears(900, from: other, on: rig)
            #expect(
                client.story == [
                    "Interrupted no-source", "device-removed: used → other", "Resumed no-source",
                ])
            #expect(try await client.dictation.commit().text == "t500 t900")
            try await rig.expectAsBefore(before)
        }
    }

    @Test func theSameMicrophoneWithANewIDIsTheSameRoute() async throws {
        try await withRig(tones) { rig in
            let used = try await rig.plugIn("used")
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: used, on: rig)
            let before = try await rig.usageAtRest(afterPausing: client)
            let id = try await rig.audio.graph().nodes(named: "used").first?.properties["object.serial"]
            used.unplug()
            try await client.comes("Interrupted no-source")
            let returned = try await rig.plugIn("used")
            try await client.comes("Resumed no-source")
            let newID = try await rig.audio.graph().nodes(named: "used").first?.properties[
                "object.serial"]
            #expect(id != newID)
            try await client.hears(900, from: returned, on: rig)
            #expect(client.story == ["Interrupted no-source", "Resumed no-source"])
            try await rig.expectAsBefore(before)
        }
    }

    @Test func followsAnotherDefault() async throws {
        try await withRig(tones) { rig in
            let one = try await rig.plugIn("one", Self.favourite)
            let two = try await rig.plugIn("two")
            // A microphone is new for two seconds.
            let start = ContinuousClock.now
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: one, on: rig)
            let before = try await rig.usageAtRest(afterPausing: client)
            try await eventually("both are no news any more") { start.duration(to: .now) > .seconds(2.5) }
            try await rig.audio.choose(defaultSource: "two")
            try await client.comes("default-changed: one → two")
            try await client.hears(900, from: two, on: rig)
            #expect(client.story == ["default-changed: one → two"])
            #expect(try await client.dictation.commit().text == "t500 t900")
            try await rig.expectAsBefore(before)
        }
    }

    @Test func usesTheSelectedMicrophoneWhenItReturns() async throws {
        try await withRig(tones) { rig in
            let common = try await rig.plugIn("common", Self.favourite)
            let wanted = try await rig.plugIn("wanted")
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: common, on: rig)
            let before = try await rig.usageAtRest(afterPausing: client)
            wanted.unplug()
            try await eventually("it is not there") {
                try await !rig.gdbus("ListRoutes").contains("'wanted'")
            }
            // If it is chosen while it is absent, the default is used.
            try await client.dictation.selectRoute(name: "wanted", options: [:])
            try await client.hears(600, from: common, on: rig)
            let returned = try await rig.plugIn("wanted")
            try await client.comes("new-device: common → wanted")
            try await client.hears(700, from: returned, on: rig)
            returned.unplug()
            try await client.comes("device-removed: wanted → common")
            try await client.hears(800, from: common, on: rig)
            let again = try await rig.plugIn("wanted")
            try await client.comes("new-device: common → wanted", times: 2)
            try await client.hears(900, from: again, on: rig)
            #expect(
                client.story == [
                    "new-device: common → wanted", "device-removed: wanted → common",
                    "new-device: common → wanted",
                ])
            #expect(try await client.dictation.commit().text == "t500 t600 t700 t800 t900")
            try await rig.expectAsBefore(before)
        }
    }

    @Test func neverRecordsPlayback() async throws {
        try await withRig(tones) { rig in
            try await rig.audio.addSink("speakers")
            let player = try rig.audio.play(Speech.tone(700, seconds: 60), to: "speakers")
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.comes("Interrupted no-source")
            // Once before the comparison: see usageAtRest(afterPausing:). The first words make the journal's file.
            let first = try await rig.plugIn()
            try await client.comes("Resumed no-source")
            try await client.hears(800, from: first, on: rig)
            _ = try await client.dictation.commit()
            first.unplug()
            try await client.comes("Interrupted no-source", times: 2)
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            client.forget()
            let before = try await rig.usageAtRest()
            #expect(try await !rig.isCapturing())
            let microphone = try await rig.plugIn()
            try await client.comes("Resumed no-source")
            try await client.hears(900, from: microphone, on: rig, block: 2)
            microphone.unplug()
            try await client.comes("Interrupted no-source")
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            #expect(client.story == ["Resumed no-source", "Interrupted no-source"])
            #expect(try await client.dictation.commit().text == "t900")
            try await rig.expectAsBefore(before)
            player.kill()
        }
    }

    /// A settings panel makes a monitor the default; a present microphone is used anyway.
    @Test func keepsTheMicrophoneWhenAMonitorIsTheDefault() async throws {
        try await withRig(tones) { rig in
            try await rig.audio.addSink("speakers")
            let player = try rig.audio.play(Speech.tone(700, seconds: 60), to: "speakers")
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: microphone, on: rig)
            try await rig.audio.choose(defaultSource: "speakers")
            try await eventually("the session manager has done so") {
                try await rig.audio.defaultSource() == "speakers"
            }
            try await eventually("the microphone was asked for by its name") {
                try await rig.audio.graph().nodes(named: "dictation.capture")
                    .contains { $0.properties["target.object"] == "microphone" }
            }
            try await eventually("it listens again") {
                try await client.dictation.getSession()["state"] == .string("listening")
            }
            try await client.hears(900, from: microphone, on: rig)
            #expect(try await client.dictation.commit().text == "t500 t900")
            player.kill()
        }
    }
}
