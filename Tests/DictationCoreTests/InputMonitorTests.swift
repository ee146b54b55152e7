import Testing

@testable import DictationCore

@Suite struct InputMonitorTests {
    /// What a monitor says after each 0.1 s.
    private func problems(_ samples: [Int16], after earlier: [Int16] = [], isAntiphase: Bool = false) -> [Set<
        InputProblem
    >] {
        var meter = SoundMeter()
        var monitor = InputMonitor()
        for measure in meter.measure(earlier) { monitor.add(measure) }
        return meter.measure(samples, isAntiphase: isAntiphase).map { measure in
            monitor.add(measure)
            return monitor.problems
        }
    }

    /// Words of 0.3 s and gaps of 0.1 s over noise.
    private func speech(_ seconds: Double, amplitude: Double, noise: Int = 1) -> [Int16] {
        var random = UInt64(7)
        return (0..<Int(seconds * 16000)).map { index in
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let hiss = noise == 0 ? 0 : Int(random >> 33) % (2 * noise + 1) - noise
            let isLoud = index % 6400 < 4800
            let wave = isLoud ? amplitude * (index / 40 % 2 == 0 ? 1 : -1) : 0
            return Int16(clamping: Int(wave) + hiss)
        }
    }

    private func silence(_ seconds: Double) -> [Int16] { Array(repeating: 0, count: Int(seconds * 16000)) }

    @Test func onlyZerosAreSilentAfterOneAndAHalfSeconds() {
        let found = problems(silence(3))
        #expect(found[13] == [] && found[14] == [.silent] && found[29] == [.silent])
        #expect(problems(speech(1, amplitude: 3000), after: silence(3)).first == [])
    }

    @Test func noiseOfOneBitIsSilent() {
        #expect(problems(speech(2, amplitude: 0, noise: 1)).last == [.silent])
        // Around an offset too.
        #expect(problems(speech(2, amplitude: 0, noise: 1).map { $0 + 3000 }).last == [.silent])
        #expect(problems(speech(2, amplitude: 0, noise: 2)).last == [])
    }

    /// Noise suppression makes them silent.
    @Test func pausesOfSpeechAreNotSilent() {
        let found = problems(silence(6), after: speech(2, amplitude: 3000, noise: 3))
        #expect(found[48] == [] && found[49] == [.silent])
    }

    @Test func speechBelowTheLimitIsTooQuietWithinTwoSeconds() {
        let found = problems(speech(4, amplitude: 50))
        #expect(found[19] == [.tooQuiet] && found[39] == [.tooQuiet])
        #expect(problems(speech(4, amplitude: 300)).allSatisfy { $0.isEmpty })
    }

    @Test func quietSpeechStaysToldInPausesUntilItIsLouder() {
        let quiet = speech(3, amplitude: 50)
        let pause = speech(3, amplitude: 0, noise: 3)
        #expect(problems(pause, after: quiet).last == [.tooQuiet])
        #expect(problems(speech(3, amplitude: 1000), after: quiet + pause).last == [])
    }

    @Test func aQuietRoomIsNotTooQuiet() {
        #expect(problems(speech(10, amplitude: 0, noise: 20)).allSatisfy { $0.isEmpty })
        var clicks = speech(10, amplitude: 0, noise: 3)
        for start in stride(from: 0, to: clicks.count, by: 4000) { clicks[start] = 60 }
        #expect(problems(clicks).allSatisfy { $0.isEmpty })
    }

    @Test func soundAtFullScaleIsClippingUntilItIsNoLonger() {
        let clipped = speech(2, amplitude: 40000)
        #expect(problems(clipped)[4].contains(.clipping))
        // A single peak is not.
        #expect(
            problems(silence(1) + [.max] + speech(1, amplitude: 20000)).allSatisfy { !$0.contains(.clipping) }
        )
        let after = problems(speech(5, amplitude: 8000), after: clipped)
        #expect(after[20] == [.clipping] && after[45] == [])
    }

    @Test func channelsThatCancelAreTold() {
        #expect(problems(speech(2, amplitude: 3000), isAntiphase: true)[9] == [.antiphase])
    }

    @Test func theResultDoesNotDependOnHowTheSoundIsSplit() {
        let samples = speech(2, amplitude: 1000)
        var meter = SoundMeter()
        var measures: [SoundMeasure] = []
        for start in stride(from: 0, to: samples.count, by: 337) {
            measures += meter.measure(Array(samples[start..<min(start + 337, samples.count)]))
        }
        var whole = SoundMeter()
        #expect(measures == whole.measure(samples))
        #expect(measures.count == 20)
    }
}
