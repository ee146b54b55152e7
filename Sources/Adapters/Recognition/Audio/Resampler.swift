import Glibc

/// Resamples a stream to 16 kHz with a bank of windowed-sinc filters, one for each phase of the ratio of the rates.
/// (J. O. Smith, "Digital Audio Resampling"; the window is Kaiser's with β = 9, 90 dB.)
///
/// libspeexdsp and libsoxr do the same. Either would replace the sixty lines of arithmetic here, but not the trimming of
/// the filter's delay and the exact number of output samples, and would add a C library that handles sound of any
/// client. PipeWire resamples the microphone's sound; it comes here only when it is also
/// recorded at a higher rate.
public struct Resampler: Sendable {
    private static let target = 16000
    private static let beta: Float = 9
    /// Zero crossings of the sinc on each side.
    private static let crossings: Float = 24

    private let up: Int
    private let down: Int
    private let taps: Int
    /// `up` filters of `taps` each.
    private let bank: [Float]
    private var input: [Float]
    /// Position of the next output, in steps of 1/up of an input sample, from the first of `input`.
    private var phase = 0
    private var consumed = 0
    private var produced = 0

    /// - Parameter rate: frames a second of the input.
    public init(from rate: Int) {
        (up, down) = Self.ratio(of: rate)
        // Half of the lower rate, less a transition band.
        let cutoff = min(1, Float(Self.target) / Float(rate)) * 0.93
        let half = Int((Self.crossings / cutoff).rounded(.up))
        taps = 2 * half
        bank = Self.filters(up: up, half: half, cutoff: cutoff)
        // The first output is the first input.
        input = Array(repeating: 0, count: half - 1)
    }

    /// The output follows the input by half of the filter, 1.6 ms at 44.1 kHz.
    public mutating func process(_ samples: [Int16]) -> [Int16] { process(samples.map { Float($0) }) }

    mutating func process(_ samples: [Float]) -> [Int16] {
        consumed += samples.count
        input.append(contentsOf: samples)
        return drain(limit: .max)
    }

    /// The samples still in the filter. The total number of output samples is the duration times 16,000.
    mutating func finish() -> [Int16] {
        input.append(contentsOf: repeatElement(0, count: taps))
        return drain(limit: (consumed * up + down - 1) / down - produced)
    }

    private mutating func drain(limit: Int) -> [Int16] {
        var output: [Int16] = []
        while output.count < limit, phase / up + taps <= input.count {
            let first = phase / up
            let filter = phase % up * taps
            var sum: Float = 0
            for tap in 0..<taps { sum += input[first + tap] * bank[filter + tap] }
            output.append(Int16(clampingSample: sum))
            phase += down
        }
        let used = min(phase / up, input.count)
        input.removeFirst(used)
        phase -= used * up
        produced += output.count
        return output
    }

    private static func filters(up: Int, half: Int, cutoff: Float) -> [Float] {
        var bank: [Float] = []
        bank.reserveCapacity(up * half * 2)
        for phase in 0..<up {
            let fraction = Float(phase) / Float(up)
            let filter = (0..<(2 * half)).map { tap in
                let distance = Float(tap - half + 1) - fraction
                return sinc(distance * cutoff) * kaiser(distance / Float(half))
            }
            let gain = filter.reduce(0, +)
            bank.append(contentsOf: filter.map { $0 / gain })
        }
        return bank
    }

    private static func sinc(_ x: Float) -> Float {
        x == 0 ? 1 : sinf(.pi * x) / (.pi * x)
    }

    private static func kaiser(_ x: Float) -> Float {
        abs(x) >= 1 ? 0 : bessel(beta * (1 - x * x).squareRoot()) / bessel(beta)
    }

    /// Modified Bessel function of the first kind, order 0, by its series.
    private static func bessel(_ x: Float) -> Float {
        var term: Float = 1
        var sum: Float = 1
        for index in 1...32 {
            term *= (x / 2 / Float(index)) * (x / 2 / Float(index))
            sum += term
        }
        return sum
    }

    /// The largest number of filters. The ratio of usual rates is exact: 11,025 Hz has 640.
    private static let mostPhases = 1000

    /// The nearest fraction to 16 kHz over `rate` with few enough filters, by continued fractions.
    private static func ratio(of rate: Int) -> (up: Int, down: Int) {
        var (numerator, denominator) = (target, rate)
        var (last, ratio) = ((up: 0, down: 1), (up: 1, down: 0))
        while denominator != 0 {
            let whole = numerator / denominator
            let next = (up: whole * ratio.up + last.up, down: whole * ratio.down + last.down)
            if next.up > mostPhases { break }
            (last, ratio) = (ratio, next)
            (numerator, denominator) = (denominator, numerator % denominator)
        }
        return ratio
    }
}

extension Int16 {
    init(clampingSample value: Float) {
        self = Int16(Swift.max(-32768, Swift.min(32767, value.rounded())))
    }
}
