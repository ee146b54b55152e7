import DictationCore
import DictationTestKit
import EventLoop
import Microphone
import Testing

/// A capture that the session manager does not link is linked to its source anyway, and to nothing else.
@Suite struct LinkTests {
    /// The configuration that a session manager gives to a source, without one.
    private static let withPorts = ["adapter.auto-port-config": "{ mode = dsp }"]

    /// Runs a test with a stream that the service has linked to the source `mic`, without a session manager.
    private func withLinkedStream(
        _ body: (PrivatePipeWire, DriverMicrophone, Recording) async throws -> Void
    ) async throws {
        let pipewire = try await PrivatePipeWire(sessionManager: false)
        let microphone = try DriverMicrophone("mic", of: pipewire, Self.withPorts)
        var timing = AudioServer.Timing()
        timing.link = .milliseconds(10)
        try await withListener(to: pipewire, timing: timing) { listener in
            try await listener.facts("it is there") { $0.sources.count == 1 }
            let recording = await listener.open(CaptureRequest(target: "mic"))
            try await recording.flows(from: "mic")
            try await body(pipewire, microphone, recording)
        }
    }

    @Test func linksWithoutASessionManager() async throws {
        let pipewire = try await PrivatePipeWire(sessionManager: false)
        let microphone = try DriverMicrophone("mic", of: pipewire, Self.withPorts)
        let other = try DriverMicrophone("other", of: pipewire, Self.withPorts)
        try await withListener(to: pipewire) { listener in
            try await listener.facts("both are there") { $0.sources.count == 2 }
            let start = ContinuousClock.now
            let recording = await listener.open(CaptureRequest(target: "mic"))
            try await recording.flows(from: "mic")
            print("linked after \(start.duration(to: .now))")
            let said = noise(3200)
            microphone.play(said)
            try await recording.find(said)
            let graph = try await pipewire.graph()
            #expect(graph.links("mic", to: "dictation.capture"))
            #expect(!graph.links("other", to: "dictation.capture"))
            #expect(graph.nodes(named: "dictation.capture").count == 1)
            await recording.close()
            let after = try await pipewire.graph()
            #expect(after.nodes(named: "dictation.capture").isEmpty && after.links.isEmpty)
            #expect(!recording.events.contains(.stalled))
        }
        other.unplug()
    }

    @Test func linksToNothingButAMicrophone() async throws {
        let pipewire = try await PrivatePipeWire(sessionManager: false)
        let player = try DriverMicrophone(
            "mic", of: pipewire, Self.withPorts.merging(["media.class": "Stream/Output/Audio"]) { $1 })
        var timing = AudioServer.Timing()
        timing.link = .milliseconds(10)
        timing.stall = .milliseconds(500)
        try await withListener(to: pipewire, timing: timing) { listener in
            try await listener.facts("the server is there") { $0.isServerAvailable }
            let recording = await listener.open(CaptureRequest(target: "mic"))
            try await recording.events("nothing came") { $0 == [.stalled] }
            #expect(try await pipewire.graph().links.isEmpty)
        }
        player.unplug()
    }

    @Test func followsASourceThatReturnsWithoutASessionManager() async throws {
        try await withLinkedStream { pipewire, first, recording in
            first.unplug()
            try await recording.events("it is gone") { $0.last == .stalled }
            let second = try DriverMicrophone("mic", of: pipewire, Self.withPorts)
            let said = noise(3200)
            second.play(said)
            try await recording.find(said)
            second.unplug()
        }
    }

    /// Even a slow one: a stream with two links would be twice as loud.
    @Test func leavesTheStreamToTheSessionManager() async throws {
        try await withLinkedStream { pipewire, microphone, recording in
            try await pipewire.startSessionManager()
            try await eventually("the session manager has linked it") {
                let graph = try await pipewire.graph()
                let own = graph.nodes(named: "dictation.capture").compactMap { $0.properties["client.id"] }
                let linking = graph.linkClients(feeding: "dictation.capture")
                return linking.count == 1 && own.count == 1 && linking != own
            }
            try await recording.flows(from: "mic")
            let heard = recording.samples.count
            let said = noise(3200)
            microphone.play(said)
            try await eventually("all came") { recording.samples.count >= heard + 2 * said.count }
            try await recording.find(said)
        }
    }

    @Test func hearsTheMeanOfAllChannels() async throws {
        let pipewire = try await PrivatePipeWire(sessionManager: false)
        try await pipewire.addSource(
            "line",
            [
                "audio.channels": "2", "audio.position": "FL,FR",
                "adapter.auto-port-config": "{ mode = dsp monitor = true position = preserve }",
            ])
        let microphone = try DriverMicrophone("left", of: pipewire, pace: .brisk, Self.withPorts)
        try await withListener(to: pipewire) { listener in
            try await listener.facts("both are there") { $0.sources.count == 2 }
            let recording = await listener.open(CaptureRequest(target: "line"))
            try await recording.flows(from: "line")
            try await pipewire.link("left:capture_MONO", to: "line:input_FL")
            microphone.play([Int16](repeating: 4000, count: 640_000))
            try await eventually("the left channel is heard") { recording.samples.contains { $0 > 0 } }
            #expect(recording.samples.max() == 2000)
        }
    }

    /// A lent connection makes no links. It leaves the graph unchanged and reports a stall.
    @Test func aLentConnectionWaitsForTheSessionManager() async throws {
        let pipewire = try await PrivatePipeWire(sessionManager: false)
        let microphone = try DriverMicrophone("mic", of: pipewire, Self.withPorts)
        var timing = AudioServer.Timing()
        timing.link = .milliseconds(10)
        timing.stall = .milliseconds(500)
        let listener = try await Listener(timing: timing) {
            try await LentConnection.restrict(pipewire.connect())
        }
        try await listener.facts("it is there") { $0.sources.count == 1 }
        let recording = await listener.open(CaptureRequest(target: "mic"))
        try await recording.events("nothing came") { $0 == [.stalled] }
        #expect(try await pipewire.graph().links.isEmpty)
        #expect(listener.troubles.isEmpty)
        try await pipewire.startSessionManager()
        try await recording.flows(from: "mic")
        await listener.stop()
        microphone.unplug()
    }
}
