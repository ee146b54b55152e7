import DictationCore
import DictationTestKit
import EventLoop
import Glibc
import Microphone
import Testing

/// A lent connection can capture and read the graph, and nothing else.
@Suite struct LentConnectionTests {
    /// A connection as the service uses it.
    private func lent(by pipewire: PrivatePipeWire) async throws -> Descriptor {
        try await UntrustedServer.connect(through: LentConnection.restrict(pipewire.connect())) {
            Issue.record("\($0)")
        }
    }

    /// A server with two sources and a sink that could be linked.
    private func serverWithDevices() async throws -> PrivatePipeWire {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.addSource("mic")
        try await pipewire.addSource("other")
        try await pipewire.addSink("speakers")
        try await eventually("all have ports") {
            let graph = try await pipewire.graph()
            return ["mic", "other", "speakers"].allSatisfy { name in
                graph.nodes(named: name).contains { $0.ports > 0 }
            }
        }
        return pipewire
    }

    @Test func capturesThroughALentConnection() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        let listener = try await Listener { try await lent(by: pipewire) }
        let recording = try await listener.openAndFlow()
        let emitted = noise(10 * 16000)
        microphone.play(emitted)
        try await recording.find(emitted)
        #expect(listener.troubles.isEmpty)
        await listener.stop()
    }

    @Test func followsTheGraphThroughALentConnection() async throws {
        let pipewire = try await PrivatePipeWire()
        let listener = try await Listener { try await lent(by: pipewire) }
        try await listener.facts("it answers") { $0.isServerAvailable }
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await listener.facts("the microphone is there") { $0.defaultSource == "mic" }
        let call = try pipewire.record(role: "Communication", ["application.name": "Phone"])
        try await listener.facts("the call runs") { facts in
            facts.otherCaptures.contains {
                $0.role == "Communication" && $0.isRunning && $0.source == "mic"
            }
        }
        call.kill()
        microphone.unplug()
        try await listener.facts("both are gone") { $0.sources.isEmpty && $0.otherCaptures.isEmpty }
        await listener.stop()
    }

    @Test func aLentConnectionIsReadOnly() async throws {
        let pipewire = try await serverWithDevices()
        let meddler = try Meddler(await lent(by: pipewire))
        func expectRefusals() {
            #expect(meddler.setVolume(of: "mic") == EACCES)
            #expect(meddler.link("mic", to: "speakers") != 0)
            #expect(meddler.destroy("mic") == EPERM)
            #expect(meddler.choose(defaultSource: "other") == EACCES)
            #expect(meddler.createNode("intruder") != 0)
        }
        expectRefusals()
        _ = meddler.liftRestrictions()
        expectRefusals()
        let graph = try await pipewire.graph()
        #expect(graph.nodes(named: "mic").count == 1)
        #expect(graph.nodes(named: "intruder").isEmpty)
        #expect(!graph.links("mic", to: "speakers"))
    }

    @Test func anUnrestrictedConnectionCanChangeTheGraph() async throws {
        let pipewire = try await serverWithDevices()
        let meddler = try Meddler(pipewire.connect())
        #expect(meddler.setVolume(of: "mic") == 0)
        #expect(meddler.choose(defaultSource: "other") == 0)
        #expect(meddler.createNode("intruder") == 0)
        #expect(meddler.link("mic", to: "speakers") == 0)
        try await eventually("they are linked") { try await pipewire.graph().links("mic", to: "speakers") }
        #expect(meddler.destroy("mic") == 0)
        try await eventually("it is destroyed") { try await pipewire.nodeCount("mic") == 0 }
        #expect(try await pipewire.nodeCount("intruder") == 1)
    }

    @Test func aHangingServerIsNotLent() async throws {
        let pipewire = try await PrivatePipeWire(sessionManager: false)
        let socket = try pipewire.connect()
        pipewire.pause()
        await #expect(throws: MicrophoneError.self) {
            try await LentConnection.restrict(socket, timeout: .milliseconds(200))
        }
        pipewire.resume()
    }
}
