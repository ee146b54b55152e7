import DictationBus
import DictationCore
import Glibc

/// Measures the microphone's level, at most 20 times a second.
struct LevelMeter {
    /// A twentieth of a second at 16 kHz.
    static let window = 800
    /// Parts of the waveform of a window.
    static let parts = 10
    private static let floor = -120.0
    private static let fullScale = 32768.0

    private let hasWaveform: Bool
    private var squares = 0.0
    private var peak = 0
    private var count = 0
    private var waveform: [ClosedRange<Double>] = []
    private var lowest = Int16.max
    private var highest = Int16.min

    /// - Parameter hasWaveform: whether levels have a waveform of ``parts`` parts.
    init(hasWaveform: Bool = false) {
        self.hasWaveform = hasWaveform
    }

    /// Takes samples. Returns the level of each window that is complete.
    mutating func measure(_ samples: [Int16]) -> [SoundLevel] {
        var levels: [SoundLevel] = []
        for sample in samples {
            squares += Double(sample) * Double(sample)
            peak = max(peak, abs(Int(sample)))
            count += 1
            if hasWaveform { draw(sample) }
            if count == Self.window {
                let rms = (squares / Double(count)).squareRoot()
                levels.append(
                    SoundLevel(
                        rms: Self.decibels(rms), peak: Self.decibels(Double(peak)), waveform: waveform))
                self = LevelMeter(hasWaveform: hasWaveform)
            }
        }
        return levels
    }

    private mutating func draw(_ sample: Int16) {
        lowest = min(lowest, sample)
        highest = max(highest, sample)
        guard count % (Self.window / Self.parts) == 0 else { return }
        waveform.append(Double(lowest) / Self.fullScale...Double(highest) / Self.fullScale)
        lowest = .max
        highest = .min
    }

    private static func decibels(_ amplitude: Double) -> Double {
        amplitude > 0 ? max(floor, min(0, 20 * log10(amplitude / fullScale))) : floor
    }
}
