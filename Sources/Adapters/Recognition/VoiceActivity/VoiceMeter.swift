import DictationCore
import Glibc

/// Finds the pitch of a voice in speech, as ``VoiceEvidence``.
///
/// Works at 4 kHz, without what is below 90 Hz: the normalised autocorrelation of 40 ms every 10 ms. A frame is pitched if
/// its first high peak is above 0.6 and near that of the frame before.
struct VoiceMeter: Sendable {
    private static let factor = 4
    private static let window = 160
    private static let hop = 40
    /// Periods of 400 and 70 Hz.
    private static let periods = 10...57
    private static let leastCorrelation: Float = 0.6
    /// Share of the highest peak that the first one must have.
    private static let firstPeak: Float = 0.9
    /// Relative change of the period from frame to frame: below, the pitch stands still; above, it is another one.
    private static let moves: Float = 0.004
    private static let jumps: Float = 0.08
    private static let preEmphasis: Float = 0.8
    /// Of a filter of the first order, used twice.
    private static let highPass: Float = expf(-2 * .pi * 90 / 4000)
    /// A low-pass filter at 1.8 kHz.
    private static let taps: [Float] = {
        let count = 33
        let taps = (0..<count).map { index -> Float in
            let time = Float(index - count / 2) * .pi * 0.9 / 4
            let sinc = time == 0 ? 1 : sinf(time) / time
            return sinc * (0.54 - 0.46 * cosf(2 * .pi * Float(index) / Float(count - 1)))
        }
        let sum = taps.reduce(0, +)
        return taps.map { $0 / sum }
    }()

    private(set) var evidence = VoiceEvidence()
    /// At 16 kHz, what the filter still needs.
    private var input: [Float] = []
    /// At 4 kHz, filtered.
    private var sound: [Float] = []
    private var filters: (HighPass, HighPass) = (HighPass(), HighPass())
    private var lastSample: Float = 0
    /// Of the last frame, in samples at 4 kHz; nil if it has no pitch.
    private var period: Float?

    mutating func append(_ samples: ArraySlice<Int16>) {
        input.reserveCapacity(input.count + samples.count)
        for sample in samples { input.append(Float(sample)) }
        resample()
        while sound.count > Self.window + Self.periods.upperBound + 1 {
            measure()
            sound.removeFirst(Self.hop)
        }
    }

    /// - Parameter frames: that were well above the noise floor.
    mutating func addActive(_ frames: Int) { evidence.active += frames }

    /// The evidence so far. The next stretch begins.
    mutating func takeEvidence() -> VoiceEvidence {
        defer { self = VoiceMeter() }
        return evidence
    }

    private mutating func resample() {
        var next = 0
        let taps = Self.taps
        input.withUnsafeBufferPointer { input in
            taps.withUnsafeBufferPointer { taps in
                while next + taps.count <= input.count {
                    var sum: Float = 0
                    for index in 0..<taps.count { sum += input[next + index] * taps[index] }
                    next += Self.factor
                    let value = filters.1.pass(filters.0.pass(sum))
                    sound.append(value - Self.preEmphasis * lastSample)
                    lastSample = value
                }
            }
        }
        input.removeFirst(next)
    }

    private mutating func measure() {
        let found = sound.withUnsafeBufferPointer { Self.period(of: $0) }
        defer { period = found }
        guard let found, let period else { return }
        let change = abs(found - period) / period
        guard change < Self.jumps else { return }
        evidence.pitched += 1
        if change > Self.moves { evidence.moving += 1 }
    }

    /// The period of the first frame; nil if it has none.
    private static func period(of sound: UnsafeBufferPointer<Float>) -> Float? {
        var correlations = [Float](repeating: 0, count: periods.upperBound + 2)
        var energy: Float = 0
        for index in 0..<window { energy += sound[index] * sound[index] }
        guard energy > Float(window) else { return nil }
        var shifted: Float = 0
        for index in 0..<window {
            let value = sound[periods.lowerBound - 1 + index]
            shifted += value * value
        }
        for lag in periods.lowerBound - 1...periods.upperBound + 1 {
            var product: Float = 0
            for index in 0..<window { product += sound[index] * sound[index + lag] }
            correlations[lag] = product / max(energy * shifted, 1).squareRoot()
            if lag + window < sound.count {
                shifted += sound[lag + window] * sound[lag + window] - sound[lag] * sound[lag]
            }
        }
        let highest = correlations[periods].max() ?? 0
        guard highest > leastCorrelation else { return nil }
        for lag in periods
        where correlations[lag] >= max(firstPeak * highest, leastCorrelation)
            && correlations[lag] >= correlations[lag - 1] && correlations[lag] >= correlations[lag + 1]
        {
            // The top of the parabola through three points.
            let curve = correlations[lag - 1] - 2 * correlations[lag] + correlations[lag + 1]
            let slope = correlations[lag - 1] - correlations[lag + 1]
            return Float(lag) + (curve < 0 ? slope / (2 * curve) : 0)
        }
        return nil
    }

    private struct HighPass: Sendable {
        private var input: Float = 0
        private var output: Float = 0

        mutating func pass(_ sample: Float) -> Float {
            output = VoiceMeter.highPass * (output + sample - input)
            input = sample
            return output
        }
    }
}
