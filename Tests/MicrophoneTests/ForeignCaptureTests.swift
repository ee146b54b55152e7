import DictationCore
import DictationTestKit
import Microphone
import Testing

@Suite struct ForeignCaptureTests {
    /// A recorder that finds no microphone gives up.
    private func hasDefault(_ listener: Listener) async throws {
        try await listener.facts("there is a default") { $0.defaultSource == "mic" }
    }

    @Test func recordersOfOthersAreToldWithWhatTheySayOfThemselves() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            try await hasDefault(listener)
            let call = try pipewire.record(role: "Communication", ["application.name": "Phone"])
            let expected = ForeignCapture(
                application: "Phone", binary: "pw-cat", role: "Communication", isRunning: true, source: "mic")
            try await listener.facts("the call runs") { $0.foreignCaptures == [expected] }
            call.kill()
            try await listener.facts("the call is over") { $0.foreignCaptures.isEmpty }

            let plain = try pipewire.record()
            try await listener.facts("the recorder runs") { $0.foreignCaptures.first?.isRunning == true }
            #expect(listener.facts.foreignCaptures.first?.role == "Music")
            #expect(listener.facts.foreignCaptures.first?.application == "pw-record")
            plain.terminate()
            try await listener.facts("the recorder is gone") { $0.foreignCaptures.isEmpty }
        }
        microphone.unplug()
    }

    @Test func aRecorderOfWhatIsPlayedIsKnownByIt() async throws {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.addSink("speakers")
        try await withListener(to: pipewire) { listener in
            let recorder = try pipewire.record(["stream.capture.sink": "true"])
            try await listener.facts("it runs") { $0.foreignCaptures.first?.isRunning == true }
            #expect(listener.facts.foreignCaptures.first?.capturesMonitor == true)
            #expect(listener.facts.foreignCaptures.first?.source == nil)
            recorder.kill()
        }
    }

    @Test func aRecorderThatLosesItsSourceIsIdle() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            try await hasDefault(listener)
            let recorder = try pipewire.record(role: "Communication")
            try await listener.facts("it runs") { $0.foreignCaptures.first?.source == "mic" }
            try await listener.facts("it runs") { $0.foreignCaptures.first?.isRunning == true }
            microphone.unplug()
            try await listener.facts("it is idle") { $0.foreignCaptures.first?.isRunning == false }
            #expect(listener.facts.foreignCaptures.first?.source == nil)
            #expect(recorder.isRunning)
        }
    }

    @Test func ourOwnCapturesAreNotForeign() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            try await listener.openAndFlow()
            let other = try pipewire.record(["node.name": "other"])
            try await listener.facts("the other is told") { !$0.foreignCaptures.isEmpty }
            #expect(listener.history.allSatisfy { $0.foreignCaptures.count <= 1 })
            #expect(try await pipewire.nodeCount("dictation.capture") == 1)
            other.kill()
        }
        microphone.unplug()
    }
}
