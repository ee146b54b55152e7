import DictationCore
import DictationTestKit
import Dispatch
import Microphone
import Testing

@Suite struct CaptureTests {
    @Test func capturesTheEmittedSamples() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            let emitted = noise(60 * 16000)
            microphone.play(emitted)
            try await recording.find(emitted)
            #expect(recording.events.first == .linked("mic"))
            #expect(recording.events.withoutDrops.starts(with: [.linked("mic"), .flowing]))
        }
    }

    @Test func capturesTheEmittedSamplesAtRealTime() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire, pace: .cycle(every: .milliseconds(20)))
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            let emitted = noise(16000)
            microphone.play(emitted)
            try await recording.find(emitted)
            #expect(recording.events.first == .linked("mic"))
            #expect(recording.events.withoutDrops.starts(with: [.linked("mic"), .flowing]))
        }
    }

    @Test func countsFramesDroppedByAFullRing() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire, pace: .cycle(every: .milliseconds(2)))
        try await withListener(to: pipewire) { listener in
            let capacity = 16384
            let recording = try await listener.openAndFlow(CaptureRequest(bufferedFrames: capacity))
            let account = try await Account(of: recording, by: microphone, listener)
            let held = await listener.hold()
            // The last cycle may reach the ring after the loop has emptied it.
            let emitted = 4 * capacity + 320
            microphone.play(noise(emitted), thenHang: true)
            microphone.hang(false)
            try await eventually("all is emitted") { microphone.played == 320 + emitted }
            held.signal()
            try await account.balances()
            #expect(recording.dropped >= 3 * capacity)
        }
    }

    @Test func countsMissedCycles() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            let account = try await Account(of: recording, by: microphone, listener)
            microphone.skip(frames: 1920)
            // One cycle before the gap, one behind it, and one that confirms it.
            microphone.play(noise(3 * 320), thenHang: true)
            microphone.hang(false)
            try await eventually("all is emitted") { microphone.played == 4 * 320 }
            try await account.balances(missing: 1920)
            #expect(recording.dropped >= 1920)
        }
    }

    @Test func countsLossesAt16kHzWhateverTheRate() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow(CaptureRequest(rate: 44_100))
            // After a change of the graph a loss is measured by time, and this one takes none.
            await listener.server.settled()
            let dropped = recording.dropped
            microphone.skip(frames: 1920)
            microphone.play(noise(10 * 320), thenHang: true)
            try await eventually("the loss is told after \(dropped) and \(recording.events)") {
                recording.dropped > dropped
            }
            // The resampler rounds.
            let told = recording.dropped - dropped
            #expect(abs(told - 1920) < 10, "\(told)")
        }
    }

    @Test func closingDeliversTheRemainderAndRemovesTheNode() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            #expect(try await pipewire.nodeCount("dictation.capture") == 1)
            let (said, dropped) = (noise(3200), recording.dropped)
            let held = await listener.hold()
            microphone.play(said, thenHang: true)
            try await eventually("all is in the capture's buffer") { microphone.taken == said.count }
            let closing = Task { await recording.close(.deliver) }
            held.signal()
            await closing.value
            #expect(try await pipewire.nodeCount("dictation.capture") == 0)
            try await recording.find(said)
            #expect(recording.dropped == dropped)
        }
    }

    @Test func aClosedCaptureDeliversNothing() async throws {
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
            // A cycle may be lost while the graph changes, so only flow is checked.
            try await eventually("the other hears it") {
                other.samples.contains { said.suffix(320).contains($0) && abs(Int($0)) > 1000 }
            }
            #expect(recording.samples == samples)
            #expect(recording.events == events)
        }
    }

    @Test func twoCapturesGetTheSameSamples() async throws {
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

    /// Whether quiet sound comes in batches or at once.
    @Test(arguments: [1600, 0]) func aHangingSourceStallsTheCapture(quietFrames: Int) async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        var timing = AudioServer.Timing()
        timing.stall = .seconds(1)
        let request = CaptureRequest(bufferedFrames: 1 << 21, quietFrames: quietFrames)
        try await withListener(to: pipewire, timing: timing) { listener in
            let recording = try await listener.openAndFlow(request)
            microphone.hang(true)
            try await recording.events("it stalls") { $0.withoutDrops.last == .stalled }
            microphone.hang(false)
            try await recording.events("it flows again") {
                $0.withoutDrops.suffix(3) == [.flowing, .stalled, .flowing]
            }
            #expect(listener.history.allSatisfy { $0.isServerAvailable })
        }
    }

    @Test func aLateReaderIsNotAStall() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire, pace: .cycle(every: .milliseconds(20)))
        var timing = AudioServer.Timing()
        timing.stall = .seconds(1)
        let moreThanThat = noise(20_000)
        try await withListener(to: pipewire, timing: timing) { listener in
            for attempt in 1...3 {
                let abandoned = microphone.abandoned
                let recording = try await listener.openAndFlow()
                let held = await listener.hold()
                // Now both sound and the watchdog are due, and delivering the sound takes as long again.
                try await microphone.say(moreThanThat)
                let handing = DispatchSemaphore(value: 0)
                recording.delay { handing.wait() }
                held.signal()
                try await microphone.say(moreThanThat)
                handing.signal()
                await listener.server.settled()
                try await recording.find(moreThanThat)
                await recording.close()
                // A microphone that stood still itself was a stall.
                if attempt < 3, microphone.abandoned > abandoned { continue }
                #expect(!recording.events.contains(.stalled))
                break
            }
        }
    }

    @Test func aRemovedStreamFails() async throws {
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

/// Compares what a microphone emits with what is heard of it, or counted as lost, from a moment on at which
/// it is hung and all it has emitted is accounted for.
private struct Account {
    private let recording: Recording
    private let microphone: DriverMicrophone
    private let accounted: Int
    private let emitted: Int

    init(of recording: Recording, by microphone: DriverMicrophone, _ listener: Listener) async throws {
        self.recording = recording
        self.microphone = microphone
        let mark = noise(320)
        microphone.play(mark, thenHang: true)
        try await recording.find(mark)
        // The loop has reported the losses before the mark.
        await listener.server.settled()
        (accounted, emitted) = (recording.accounted, microphone.emitted)
    }

    /// Waits until a hanging microphone has delivered everything.
    func balances(missing: Int = 0) async throws {
        let expected = microphone.emitted - emitted + missing
        do {
            try await eventually("every frame is heard or counted") {
                recording.accounted - accounted == expected
            }
        } catch {
            throw TestFailure("\(error): \(recording.accounted - accounted) of \(expected)")
        }
    }
}

extension DriverMicrophone {
    /// Returns when all has been emitted.
    fileprivate func say(_ samples: [Int16]) async throws {
        let end = played + samples.count
        play(samples)
        try await eventually("all is emitted") { played >= end }
    }
}
