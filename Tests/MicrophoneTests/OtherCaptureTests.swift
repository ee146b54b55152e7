import DictationCore
import DictationTestKit
import Microphone
import Testing

@Suite struct OtherCaptureTests {
    /// A recorder that finds no microphone gives up.
    private func hasDefault(_ listener: Listener) async throws {
        try await listener.facts("there is a default") { $0.defaultSource == "mic" }
    }

    @Test func reportsOtherRecorders() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            try await hasDefault(listener)
            let call = try pipewire.record(role: "Communication", ["application.name": "Phone"])
            let expected = OtherCapture(
                application: "Phone", binary: "pw-cat", role: "Communication", isRunning: true, source: "mic")
            try await listener.facts("the call runs") { $0.otherCaptures == [expected] }
            call.kill()
            try await listener.facts("the call is over") { $0.otherCaptures.isEmpty }

            let plain = try pipewire.record()
            try await listener.facts("the recorder runs") { $0.otherCaptures.first?.isRunning == true }
            #expect(listener.facts.otherCaptures.first?.role == "Music")
            #expect(listener.facts.otherCaptures.first?.application == "pw-record")
            plain.terminate()
            try await listener.facts("the recorder is gone") { $0.otherCaptures.isEmpty }
        }
        microphone.unplug()
    }

    @Test func recognisesARecorderOfPlayback() async throws {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.addSink("speakers")
        try await withListener(to: pipewire) { listener in
            let recorder = try pipewire.record(["stream.capture.sink": "true"])
            try await listener.facts("it runs") { $0.otherCaptures.first?.isRunning == true }
            #expect(listener.facts.otherCaptures.first?.capturesMonitor == true)
            #expect(listener.facts.otherCaptures.first?.source == nil)
            recorder.kill()
        }
    }

    @Test func aRecorderThatLosesItsSourceIsIdle() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            try await hasDefault(listener)
            let recorder = try pipewire.record(role: "Communication")
            try await listener.facts("it runs") { $0.otherCaptures.first?.source == "mic" }
            try await listener.facts("it runs") { $0.otherCaptures.first?.isRunning == true }
            microphone.unplug()
            try await listener.facts("it is idle") { $0.otherCaptures.first?.isRunning == false }
            #expect(listener.facts.otherCaptures.first?.source == nil)
            #expect(recorder.isRunning)
        }
    }

    @Test func ourCapturesAreNotReported() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            try await listener.openAndFlow()
            let other = try pipewire.record(["node.name": "other"])
            try await listener.facts("the other is told") { !$0.otherCaptures.isEmpty }
            #expect(listener.history.allSatisfy { $0.otherCaptures.count <= 1 })
            #expect(try await pipewire.nodeCount("dictation.capture") == 1)
            other.kill()
        }
        microphone.unplug()
    }
}
