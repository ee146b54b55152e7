import Glibc

/// Estimates the background level by minimum statistics: the lowest level of the last three seconds. Even fluent speech has
/// a gap in each three seconds. (R. Martin, "Noise power spectral density estimation based on optimal
/// smoothing and minimum statistics", 2001, on one band.)
struct NoiseFloor: Sendable {
    private static let framesPerPart = 50
    private static let parts = 6
    /// How fast the floor may rise, in dB per frame. Slow enough that speech from the first sample on is not taken for
    /// background before its first gap.
    private static let riseDuringSpeech: Float = 0.15
    private static let riseInSilence: Float = 0.3

    /// Sound that begins below this begins with the background.
    private static let quiet: Float = -60
    /// The floor before sound that begins louder: it reaches steady noise within a few seconds.
    private static let beginning: Float = -66

    private let minimum: Float
    private(set) var level: Float
    private var smoothed: Float?
    private var minima: [Float] = []
    private var current = Float.infinity
    private var framesInPart = 0

    init(minimum: Float) {
        self.minimum = minimum
        level = max(minimum, Self.beginning)
    }

    /// - Parameter frame: level of the next frame in dBFS.
    mutating func add(_ frame: Float, duringSpeech: Bool) {
        if smoothed == nil, frame < Self.quiet { level = max(frame, minimum - 9) }
        let smooth = smoothed.map { $0 + (frame - $0) * 0.3 } ?? frame
        smoothed = smooth
        current = min(current, smooth)
        framesInPart += 1
        if framesInPart == Self.framesPerPart {
            minima.append(current)
            if minima.count == Self.parts { minima.removeFirst() }
            current = .infinity
            framesInPart = 0
        }
        let least = min(minima.min() ?? level, current)
        let rise = duringSpeech ? Self.riseDuringSpeech : Self.riseInSilence
        level = max(min(least, level + rise), minimum - 9)
    }
}

/// Level in dBFS of the mean square of 16-bit samples; -96 for digital silence.
func decibels(meanSquare: Float) -> Float {
    max(10 * log10f(meanSquare / (32768 * 32768) + 1e-20), -96)
}
