import DictationCore
import DictationTestKit
import Dispatch
import Microphone
import Testing

@Suite struct CaptureTests {
    @Test func samplesAreThoseTheMicrophoneEmitted() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            let emitted = noise(60 * 16000)
            microphone.play(emitted)
            try await recording.find(emitted)
            #expect(recording.events.starts(with: [.linked("mic"), .flowing]))
        }
    }

    @Test func samplesAreThoseTheMicrophoneEmittedInRealTime() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire, pace: .realTime)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            let emitted = noise(16000)
            microphone.play(emitted)
            try await recording.find(emitted)
            #expect(recording.events.starts(with: [.linked("mic"), .flowing]))
        }
    }

    @Test func framesThatAFullRingCouldNotTakeAreCountedExactly() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire, pace: .cycle(every: .milliseconds(2)))
        try await withListener(to: pipewire) { listener in
            let capacity = 16384
            let recording = try await listener.openAndFlow(CaptureRequest(bufferedFrames: capacity))
            let mark = noise(320)
            microphone.play(mark)
            let start = try await recording.find(mark)

            let held = listener.hold()
            microphone.play(noise(4 * capacity), thenHang: true)
            try await eventually("all is emitted") { microphone.played == 320 + 4 * capacity }
            held.signal()

            let emitted = start + microphone.emitted - microphone.lead
            try await eventually("every frame is heard or counted") {
                recording.samples.count + recording.dropped == emitted
            }
            #expect(recording.dropped >= 3 * capacity)
        }
    }

    @Test func cyclesThatTheGraphWentThroughAloneAreCounted() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            let dropped = recording.dropped
            microphone.skip(frames: 640)
            try await recording.events("the gap is told") { $0.last == .dropped(frames: 640) }
            #expect(recording.dropped == dropped + 640)
        }
    }

    @Test func closingHandsOverWhatWasSaidAndLeavesNoNode() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            #expect(try await pipewire.nodeCount("dictation.capture") == 1)
            let (said, dropped) = (noise(3200), recording.dropped)
            let held = listener.hold()
            microphone.play(said)
            try await eventually("all is said") { microphone.played == said.count }
            let closing = Task { await recording.close(.deliver) }
            held.signal()
            await closing.value
            #expect(try await pipewire.nodeCount("dictation.capture") == 0)
            try await recording.find(said)
            #expect(recording.dropped == dropped)
        }
    }

    @Test func aClosedCaptureIsSilent() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            let other = try await listener.openAndFlow(CaptureRequest(name: "other"))
            await recording.close(.discard)
            await recording.close(.deliver)
            let (samples, events) = (recording.samples, recording.events)
            let said = noise(3200)
            microphone.play(said)
            try await other.find(said)
            #expect(recording.samples == samples)
            #expect(recording.events == events)
        }
    }

    @Test func twoCapturesHearTheSame() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            let one = try await listener.openAndFlow(CaptureRequest(name: "one"))
            let two = try await listener.openAndFlow(CaptureRequest(name: "two"))
            let said = noise(16000)
            microphone.play(said)
            try await one.find(said)
            try await two.find(said)
        }
    }

    @Test func aSourceThatHangsStallsTheCaptureUntilItGoesOn() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        var timing = AudioServer.Timing()
        timing.stall = .milliseconds(200)
        try await withListener(to: pipewire, timing: timing) { listener in
            let recording = try await listener.openAndFlow()
            microphone.hang(true)
            try await recording.events("it stalls") { $0.last == .stalled }
            microphone.hang(false)
            try await recording.events("it flows again") { $0.last == .flowing }
            #expect(recording.events == [.linked("mic"), .flowing, .stalled, .flowing])
            #expect(listener.history.allSatisfy { $0.isServerAvailable })
        }
    }

    @Test func aStreamThatTheServerRemovesHasFailed() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            try await pipewire.removeNode("dictation.capture")
            try await recording.events("it failed") { events in
                if case .failed(.refused) = events.last { true } else { false }
            }
            try await listener.openAndFlow()
        }
        microphone.unplug()
    }
}
