import DictationCore
import DictationTestKit
import EventLoop
import Glibc
import Microphone
import Testing

/// A capture that the session manager does not link is linked to its source anyway, and to nothing else.
@Suite struct LinkTests {
    /// The configuration that a session manager gives to a source, without one.
    private static let withPorts = ["adapter.auto-port-config": "{ mode = dsp }"]

    /// Runs a test with a stream that the service has linked to the first of these sources, without a session manager.
    private func withLinkedStream(
        _ sources: [NodeName], _ body: (PrivatePipeWire, [DriverMicrophone], Recording) async throws -> Void
    ) async throws {
        let pipewire = try await PrivatePipeWire(sessionManager: false)
        let microphones = try sources.map { try DriverMicrophone($0.rawValue, of: pipewire, Self.withPorts) }
        var timing = AudioServer.Timing()
        timing.link = .milliseconds(10)
        try await withListener(to: pipewire, timing: timing) { listener in
            try await listener.facts("the sources are there") { $0.sources.count == sources.count }
            let recording = await listener.open(CaptureRequest(target: sources[0]))
            try await recording.flows(from: sources[0])
            try await body(pipewire, microphones, recording)
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

    /// The wait for the session manager is not counted, and neither is the time in which a busy source does not answer.
    @Test func aLinkedStreamHasTheWholeTimeUntilItStalls() async throws {
        let pipewire = try await PrivatePipeWire(sessionManager: false)
        let source = try pipewire.playAsSource(noise(160_000), named: "mic")
        try await eventually("the source has a port") {
            try await pipewire.graph().nodes(named: "mic").contains { $0.ports > 0 }
        }
        try source.stop()
        var timing = AudioServer.Timing()
        timing.link = .milliseconds(400)
        try await withListener(to: pipewire, timing: timing) { listener in
            try await listener.facts("it is there") { $0.sources.count == 1 }
            let start = ContinuousClock.now
            let recording = await listener.open(CaptureRequest(target: "mic"))
            try await recording.events("nothing came") { $0.last == .stalled }
            // For a port, for the session manager, and for samples.
            #expect(start.duration(to: .now) >= timing.link * 2 + timing.stall, "\(recording.events)")
        }
        source.kill()
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
        try await withLinkedStream(["mic"]) { pipewire, microphones, recording in
            microphones[0].unplug()
            try await recording.events("it is gone") { $0.withoutDrops.last == .stalled }
            let second = try DriverMicrophone("mic", of: pipewire, Self.withPorts)
            try await recording.flowsSteadily(from: "mic")
            let said = noise(3200)
            second.play(said)
            try await recording.find(said)
            second.unplug()
        }
    }

    @Test func leavesTheStreamToAnotherLink() async throws {
        try await withLinkedStream(["mic", "other"]) { pipewire, microphones, recording in
            let other = microphones[1]
            try await pipewire.link("other:capture_MONO", to: "dictation.capture:input_MONO")
            try await eventually("the other link alone is left") {
                let graph = try await pipewire.graph()
                return graph.links("other", to: "dictation.capture")
                    && graph.linkClients(feeding: "dictation.capture").count == 1
            }
            let heard = recording.samples.count
            try await eventually("it is heard") { recording.samples.count >= heard + 16_000 }
            let said = noise(3200)
            other.play(said)
            try await recording.find(said)
            other.unplug()
            try await eventually("it is linked to its own source again") {
                try await pipewire.graph().links("mic", to: "dictation.capture")
            }
            microphones[0].unplug()
        }
    }

    /// A patch bay links playback to the stream as well, and then removes that link.
    @Test func hearsTheMicrophoneAgainWhenAnotherLinkIsRemoved() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await pipewire.addSink("speakers")
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow(CaptureRequest(target: "mic"))
            let link = ["speakers:monitor_MONO", "dictation.capture:input_MONO"]
            try await pipewire.link(link[0], to: link[1])
            try await recording.events("playback is not used") { $0.withoutDrops.last == .stalled }
            try await pipewire.unlink(link[0], from: link[1])
            try await recording.flowsSteadily(from: "mic")
            let said = noise(3200)
            microphone.play(said)
            try await recording.find(said)
        }
        microphone.unplug()
    }

    @Test func capturesTheMeanOfAllChannels() async throws {
        let pipewire = try await PrivatePipeWire(sessionManager: false)
        // Frames with a left and a right sample.
        let frames = (0..<640_000).map { $0.isMultiple(of: 2) ? Int16(4000) : 0 }
        let line = try pipewire.playAsSource(frames, channels: 2, named: "line")
        try await eventually("it has two ports") {
            try await pipewire.graph().nodes(named: "line").contains { $0.ports == 2 }
        }
        try await withListener(to: pipewire) { listener in
            try await listener.facts("it is there") { $0.sources.count == 1 }
            let recording = await listener.open(CaptureRequest(target: "line"))
            try await recording.flows(from: "line")
            try await eventually("the left channel is heard") { recording.samples.contains { $0 > 0 } }
            #expect(recording.samples.max() == 2000)
        }
        line.kill()
    }
}
