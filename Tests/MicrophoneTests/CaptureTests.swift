import DictationCore
import DictationTestKit
import Microphone
import Testing

@Suite struct CaptureTests {
    @Test func samplesAreThoseTheMicrophoneEmitted() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        let listener = try await Listener(to: pipewire)
        try await listener.facts("the microphone is the default") { $0.defaultSource == NodeName("mic") }
        let recording = await listener.open()
        try await recording.events("sound flows") { $0.contains(.flowing) }
        let emitted = noise(16000 * 60)
        microphone.play(emitted)
        try await recording.find(emitted)
        #expect(recording.events == [.linked(NodeName("mic")), .flowing])
        await recording.close()
        await listener.stop()
    }
}
