import Glibc

/// How loud the microphone is, at most 20 times a second.
struct LevelMeter {
    /// A twentieth of a second at 16 kHz.
    private static let window = 800
    private static let floor = -120.0

    private var squares = 0.0
    private var peak = 0
    private var count = 0

    /// Takes samples; calls `tell` with the root mean square and the peak of each full window, in decibels below
    /// full scale, -120 to 0.
    mutating func take(_ samples: [Int16], tell: (_ rms: Double, _ peak: Double) -> Void) {
        for sample in samples {
            squares += Double(sample) * Double(sample)
            peak = max(peak, abs(Int(sample)))
            count += 1
            if count == Self.window {
                tell(Self.decibels((squares / Double(count)).squareRoot()), Self.decibels(Double(peak)))
                self = LevelMeter()
            }
        }
    }

    private static func decibels(_ amplitude: Double) -> Double {
        amplitude > 0 ? max(floor, min(0, 20 * log10(amplitude / 32768))) : floor
    }
}
