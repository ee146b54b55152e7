import DictationCore
import DictationTestKit
import Foundation
import Testing

@testable import DictationBus
@testable import DictationWorker

/// The level of known sounds.
@Suite struct LevelMeterTests {
    private func levels(_ samples: [Int16], hasWaveform: Bool = false) -> [SoundLevel] {
        var meter = LevelMeter(hasWaveform: hasWaveform)
        return meter.measure(samples)
    }

    private func tone(_ decibels: Double, _ frequency: Double = 440) -> [Int16] {
        let amplitude = 32767 * pow(10, decibels / 20)
        return (0..<16_000).map { index in
            Int16((amplitude * sin(2 * .pi * frequency * Double(index) / 16_000)).rounded())
        }
    }

    @Test(arguments: [0.0, -6, -20, -40, -60])
    func aToneHasItsLevelWithinATenthOfADecibel(decibels: Double) {
        // Whole periods in each window: at other frequencies the level of a window itself differs.
        let found = levels(tone(decibels))
        #expect(found.count == 20)
        for level in found {
            #expect(abs(level.rms - (decibels - 3.0103)) < 0.1, "\(level)")
            #expect(abs(level.peak - decibels) < 0.1, "\(level)")
        }
    }

    @Test(arguments: [-10.0, -30, -50])
    func noiseHasItsLevelWithinATenthOfADecibel(decibels: Double) {
        var random = SplitMix(seed: 7)
        // Uniform noise has a root mean square of its bound divided by the square root of 3.
        let bound = 32768 * pow(10, decibels / 20) * 3.0.squareRoot()
        let samples = (0..<40_000).map { _ in
            Int16(Double.random(in: -bound...bound, using: &random).rounded())
        }
        let mean = levels(samples).reduce(0) { $0 + pow(10, $1.rms / 10) } / 50
        #expect(abs(10 * log10(mean) - decibels) < 0.1)
    }

    @Test func silenceIsTheFloor() {
        #expect(levels([Int16](repeating: 0, count: 800)) == [SoundLevel(rms: -120, peak: -120)])
        #expect(levels([Int16](repeating: .min, count: 800)) == [SoundLevel(rms: 0, peak: 0)])
    }

    @Test func theWaveformHasTheMinimaAndMaximaOfItsParts() throws {
        var samples = [Int16](repeating: 0, count: 800)
        samples[85] = 16384
        samples[90] = -8192
        samples[799] = .min
        let waveform = try #require(levels(samples, hasWaveform: true).first).waveform
        #expect(waveform.count == 10)
        #expect(waveform[0] == 0...0)
        #expect(waveform[1] == -0.25...0.5)
        #expect(waveform[9] == -1...0)
        #expect(levels(samples).first?.waveform == [])
    }
}
