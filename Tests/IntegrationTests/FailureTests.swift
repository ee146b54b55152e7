import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// A failure is reported once, by name, and loses as little as possible.
@Suite struct FailureTests {
    /// Another program removes our stream from the graph, like a session manager that refuses it.
    private func removeStream(_ rig: Rig) async throws {
        try await eventually("there is a stream") { try await rig.isCapturing() }
        try await rig.audio.removeNode("dictation.capture")
    }

    @Test func retriesARefusedStreamAndReportsItOnce() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: microphone, on: rig)
            let before = try await rig.usageAtRest(afterPausing: client)
            try await removeStream(rig)
            try await client.comes("Error RouteChangeFailed")
            try await client.comes("Resumed no-source")
            try await client.hears(900, from: microphone, on: rig)
            #expect(
                client.story == ["Interrupted no-source", "Error RouteChangeFailed", "Resumed no-source"])
            #expect(try await client.dictation.commit().text == "t500 t900")
            try await rig.expectAsBefore(before)
        }
    }

    @Test func fallsBackToTheDefaultFromARefusingMicrophone() async throws {
        try await withRig(tones) { rig in
            let common = try await rig.plugIn("common", ["priority.session": "9000"])
            let wanted = try await rig.plugIn("wanted")
            let client = try await TestClient.listening(on: rig, ["route": .string("wanted")])
            try await client.hears(500, from: wanted, on: rig)
            try await removeStream(rig)
            try await client.signal("the default serves") { _ in
                client.story.contains { $0.hasSuffix("wanted → common") } ? true : nil
            }
            try await client.hears(900, from: common, on: rig)
            #expect(client.story == ["Error RouteChangeFailed", "device-failed: wanted → common"])
            #expect(try await client.dictation.commit().text == "t500 t900")
        }
    }

    @Test func leavesAHangingMicrophoneForTheDefault() async throws {
        try await withRig(tones) { rig in
            let common = try await rig.plugIn("common", ["priority.session": "9000"])
            let wanted = try await rig.plugIn("wanted")
            let client = try await TestClient.listening(on: rig, ["route": .string("wanted")])
            try await client.hears(500, from: wanted, on: rig)
            wanted.hang(true)
            try await client.signal("the default serves") { _ in
                client.story.contains { $0.hasSuffix("wanted → common") } ? true : nil
            }
            try await client.hears(900, from: common, on: rig)
            #expect(
                client.story == [
                    "Interrupted no-source", "device-failed: wanted → common", "Resumed no-source",
                ])
            #expect(try await client.dictation.commit().text == "t500 t900")
        }
    }

    @Test func aFailingEngineLosesOneSegment() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: microphone, on: rig)
            // Each segment ends with the silence after it.
            try await rig.say(Speech.silence(2), into: microphone)
            // On this one the scripted engine fails, and so does the new one.
            try await rig.say(Speech.tones(3500) + Speech.silence(2), into: microphone)
            try await client.comes("Error EngineFailed")
            try await client.hears(900, from: microphone, on: rig)
            #expect(client.story == ["Error EngineFailed"])
            #expect(try await client.dictation.commit().text == "t500 t900")
        }
    }

    @Test func aMissingModelNamesThePackage() async throws {
        try await withRig("model-folder: /nonexistent\n") { rig in
            try await rig.plugIn()
            let client = try await TestClient(on: rig)
            do {
                _ = try await client.dictation.start(options: [:])
                Issue.record("Start was not refused")
            } catch let error as DBusError {
                #expect(error.name == DictationInterface.errorName(.engineUnavailable))
                #expect(error.message.contains("pocketsphinx-en-us"))
            }
            #expect(try await !rig.isCapturing())
        }
    }

    @Test func aSlowRecogniserReportsLagAndLoss() async throws {
        try await withRig("backlog-limit: 10\n") { rig in
            // Several times faster than PocketSphinx on any machine.
            let microphone = try await rig.plugIn(pace: .fast)
            let client = try await TestClient.listening(on: rig)
            // A minute of speech within a few seconds.
            let speech = try Speech.john()
            for _ in 0..<8 { microphone.play(speech) }
            try await eventually("the lag is told", within: .seconds(60)) {
                let lag = try await client.dictation.getSession()["lag"].flatMap { Double($0) } ?? 0
                return lag > 1
            }
            try await eventually("losses are told", within: .seconds(60)) {
                let lost = try await client.dictation.getSession()["dropouts"].flatMap { UInt64($0) } ?? 0
                return lost > 0
            }
            _ = try await client.dictation.cancel()
        }
    }
}
