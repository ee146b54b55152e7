import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// Bluetooth headsets, whose microphones exist only with a profile.
@Suite struct HeadsetTests {
    private static let name = "bluez_input.headset"
    private static let desk = ["priority.session": "9000"]

    private static func headset(_ profile: String = "headset-head-unit", priority: Int = 1000) -> [String:
        String]
    {
        [
            "device.api": "bluez5", "device.bus": "bluetooth", "device.form_factor": "headset",
            "api.bluez5.profile": profile, "api.bluez5.codec": "msbc", "priority.session": "\(priority)",
        ]
    }

    @Test func usesAHeadsetIfPreferred() async throws {
        try await withRig(tones + "prefer-bluetooth: true\n") { rig in
            let desk = try await rig.plugIn("desk", Self.desk)
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: desk, on: rig)
            let before = try await rig.usageAtRest(afterPausing: client)
            let headset = try await rig.plugIn(Self.name, Self.headset())
            try await client.comes("new-device: desk → \(Self.name)")
            try await client.hears(700, from: headset, on: rig)
            headset.unplug()
            try await client.comes("device-removed: \(Self.name) → desk")
            try await client.hears(900, from: desk, on: rig)
            #expect(!client.story.contains { $0.hasPrefix("Interrupted") })
            #expect(try await client.dictation.commit().text == "t500 t700 t900")
            try await rig.expectAsBefore(before)
        }
    }

    @Test func usesTheDefaultOtherwise() async throws {
        try await withRig(tones) { rig in
            let desk = try await rig.plugIn("desk", Self.desk)
            let client = try await TestClient.listening(on: rig)
            let lesser = try await rig.plugIn("bluez_input.lesser", Self.headset())
            try await client.hears(500, from: desk, on: rig)
            #expect(client.story.isEmpty)
            lesser.unplug()
            let headset = try await rig.plugIn(Self.name, Self.headset(priority: 10_000))
            try await client.comes("new-device: desk → \(Self.name)")
            try await client.hears(900, from: headset, on: rig)
            #expect(client.story == ["new-device: desk → \(Self.name)"])
        }
    }

    @Test func ourProfileChangeIsARouteChange() async throws {
        try await withRig(tones) { rig in
            let headset = try await rig.plugIn(Self.name, Self.headset("a2dp-source"))
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: headset, on: rig)
            headset.change(["api.bluez5.profile": "headset-head-unit"])
            let change = "profile-changed: \(Self.name) → \(Self.name)"
            try await client.comes(change)
            try await client.hears(700, from: headset, on: rig)
            #expect(client.story == [change])
            // Other hardware reappears with its new profile.
            headset.unplug()
            try await client.comes("Interrupted no-source")
            let returned = try await rig.plugIn(Self.name, Self.headset("a2dp-source"))
            try await client.comes("Resumed no-source")
            try await client.hears(900, from: returned, on: rig)
            #expect(client.story.count { $0 == change } == 2)
            #expect(try await client.dictation.commit().text == "t500 t700 t900")
        }
    }

    @Test func aCallsProfileChangeIsNotOurRouteChange() async throws {
        try await withRig(tones) { rig in
            let desk = try await rig.plugIn("desk", Self.desk)
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: desk, on: rig)
            let call = try rig.audio.record(role: "Communication")
            try await client.comes("Interrupted call")
            let headset = try await rig.plugIn(Self.name, Self.headset(priority: 10_000))
            headset.unplug()
            try await eventually("the headset is away again") {
                try await !rig.gdbus("ListRoutes").contains("'\(Self.name)'")
            }
            call.kill()
            try await client.comes("Resumed call")
            try await client.hears(900, from: desk, on: rig)
            #expect(client.story == ["Interrupted call", "Resumed call"])
        }
    }

    @Test func anotherProgramOnTheHeadsetIsACall() async throws {
        try await withRig(tones) { rig in
            let headset = try await rig.plugIn(Self.name, Self.headset())
            let client = try await TestClient.listening(on: rig)
            try await client.hears(500, from: headset, on: rig)
            let recorder = try rig.audio.record()
            try await client.comes("Interrupted call")
            headset.change(["api.bluez5.profile": "a2dp-source"])
            try await client.comes("Resumed call")
            try await client.hears(900, from: headset, on: rig)
            recorder.kill()
        }
    }
}
