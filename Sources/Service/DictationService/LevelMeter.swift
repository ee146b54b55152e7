import Glibc

/// Measures the microphone's level, at most 20 times a second.
struct LevelMeter {
    /// A twentieth of a second at 16 kHz.
    private static let window = 800
    private static let floor = -120.0

    private var squares = 0.0
    private var peak = 0
    private var count = 0

    /// In decibels below full scale, -120 to 0.
    struct Level: Hashable {
        /// The root mean square.
        var rms: Double
        var peak: Double
    }

    /// Takes samples. Returns the level of each window that is complete.
    mutating func take(_ samples: [Int16]) -> [Level] {
        var levels: [Level] = []
        for sample in samples {
            squares += Double(sample) * Double(sample)
            peak = max(peak, abs(Int(sample)))
            count += 1
            if count == Self.window {
                let rms = (squares / Double(count)).squareRoot()
                levels.append(Level(rms: Self.decibels(rms), peak: Self.decibels(Double(peak))))
                self = LevelMeter()
            }
        }
        return levels
    }

    private static func decibels(_ amplitude: Double) -> Double {
        amplitude > 0 ? max(floor, min(0, 20 * log10(amplitude / 32768))) : floor
    }
}
