import DictationCore
import DictationTestKit
import Microphone
import Testing

@Suite struct FactsTests {
    @Test func followsSourcesAndTheirProperties() async throws {
        let pipewire = try await PrivatePipeWire()
        try await withListener(to: pipewire) { listener in
            try await listener.facts("nothing is there") { $0 == AudioFacts(isServerAvailable: true) }
            let headset = try DriverMicrophone(
                "headset", of: pipewire,
                [
                    "node.description": "Head & Set", "device.api": "bluez5", "priority.session": "1234",
                    "api.bluez5.profile": "headset-head-unit",
                ])
            try await listener.facts("the headset is there") { $0.defaultSource != nil }
            #expect(
                listener.facts.sources == [
                    "headset": Source(
                        name: "headset", description: "Head & Set", bus: "bluetooth",
                        bluetoothProfile: "headset-head-unit", priority: 1234)
                ])
            headset.unplug()
            try await listener.facts("nothing is left") { $0 == AudioFacts(isServerAvailable: true) }
        }
    }

    @Test func reportsExistingSourcesAtOnce() async throws {
        let pipewire = try await PrivatePipeWire()
        let one = try DriverMicrophone("one", of: pipewire, ["node.description": "The first"])
        let two = try DriverMicrophone("two", of: pipewire, ["node.description": "The second"])
        try await eventually("the session manager knows them") {
            let graph = try await pipewire.graph()
            return ["one", "two"].allSatisfy { graph.nodes(named: $0).contains { $0.ports > 0 } }
        }
        // PipeWire 0.3.65 lets pw-record use only the default source, whatever its properties say.
        for name in ["two", "one"] {
            try await pipewire.choose(defaultSource: name)
            try await eventually("it is the default") { try await pipewire.defaultSource() == name }
            if name == "two" { try await pipewire.use(name) }
        }
        try await pipewire.mute("two", true)
        try await withListener(to: pipewire) { listener in
            try await listener.facts("the server is there") { $0.isServerAvailable }
            #expect(
                listener.history == [
                    AudioFacts(
                        isServerAvailable: true,
                        sources: [
                            "one": Source(name: "one", description: "The first", priority: 5000),
                            "two": Source(
                                name: "two", description: "The second", isMuted: true, priority: 5000),
                        ], defaultSource: "one")
                ])
        }
        one.unplug()
        two.unplug()
    }

    @Test func followsTheDefaultSource() async throws {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.addSource("one", ["priority.session": "2"])
        try await pipewire.addSource("two", ["priority.session": "1"])
        try await withListener(to: pipewire) { listener in
            try await listener.facts("the preferred one") { $0.defaultSource == "one" }
            try await pipewire.choose(defaultSource: "two")
            try await listener.facts("the chosen one") { $0.defaultSource == "two" }
            try await pipewire.removeNode("two")
            try await listener.facts("the one that is left") { $0.defaultSource == "one" }
            #expect(listener.facts.sources.count == 1)
        }
    }

    @Test func reportsMute() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            try await listener.facts("it can be heard") { $0.sources["mic"]?.isMuted == false }
            try await pipewire.use("mic")
            try await pipewire.mute("mic", true)
            try await listener.facts("it is muted") { $0.sources["mic"]?.isMuted == true }
            try await pipewire.mute("mic", false)
            try await listener.facts("it can be heard again") { $0.sources["mic"]?.isMuted == false }
        }
        microphone.unplug()
    }

    @Test func reportsAnEarlierMuteWhenAMicrophoneIsFirstUsed() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            try await listener.facts("it can be heard") { $0.sources["mic"]?.isMuted == false }
            try await pipewire.requestMute("mic", true)
            try await pipewire.use("mic")
            try await listener.facts("it is muted") { $0.sources["mic"]?.isMuted == true }
        }
        microphone.unplug()
    }

    @Test func aSinkIsNotASource() async throws {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.addSink("speakers")
        try await eventually("the session manager makes it the default source") {
            try await pipewire.defaultSource() == "speakers"
        }
        try await withListener(to: pipewire) { listener in
            try await listener.facts("the server is there") { $0.isServerAvailable }
            #expect(listener.history == [AudioFacts(isServerAvailable: true)])
        }
    }

    @Test(arguments: [
        "\u{1}\u{7f}\u{202e}\u{feff}", String(repeating: "ö", count: 100_000), "\" } { \"", "", "🎙️ e\u{301}",
    ])
    func anyDescriptionIsCarriedWholeOrCut(_ text: String) async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire, ["node.description": text])
        try await withListener(to: pipewire) { listener in
            try await listener.facts("it is there") { $0.sources["mic"] != nil }
            let told = try #require(listener.facts.sources["mic"]).description
            #expect(text.utf8.starts(with: told.utf8))
            #expect(told == text || told.utf8.count >= 500)
        }
        microphone.unplug()
    }

    @Test func capturesFromSourcesWithInvalidNames() async throws {
        let pipewire = try await PrivatePipeWire()
        let bytes: [UInt8] = Array("mic".utf8) + [0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x80]
        let microphone = try DriverMicrophone(of: pipewire, [(Array("node.name".utf8), bytes)])
        try await pipewire.addSource("other", ["priority.session": "9000"])
        try await withListener(to: pipewire) { listener in
            try await listener.facts("both are there") { $0.sources.count == 2 }
            let name = try #require(listener.facts.sources.keys.first { $0 != "other" })
            #expect(name.rawValue == String(decoding: bytes, as: UTF8.self))
            // WirePlumber 0.5 chooses no default source while a name is not text.
            let recording = await listener.open(CaptureRequest(target: name))
            try await recording.events("sound flows") { $0.contains(.flowing) }
            #expect(recording.events.first == .linked(name))
        }
        microphone.unplug()
    }
}
