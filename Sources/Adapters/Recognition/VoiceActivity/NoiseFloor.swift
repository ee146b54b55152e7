import Glibc

/// Minimum statistics: the background is the least level of the last three seconds, since even fluent
/// speech has gaps that long apart. (R. Martin, "Noise power spectral density estimation based on optimal
/// smoothing and minimum statistics", 2001, on one band.)
struct NoiseFloor: Sendable {
    private static let framesPerPart = 50
    private static let parts = 6
    /// dB per frame that the floor may rise: speech that begins with the first sample is not taken for
    /// background before a gap in it was heard.
    private static let riseDuringSpeech: Float = 0.15
    private static let riseInSilence: Float = 0.3

    private let quietest: Float
    private(set) var level: Float
    private var smoothed: Float?
    private var minima: [Float] = []
    private var current = Float.infinity
    private var heard = 0

    init(quietest: Float) {
        self.quietest = quietest
        level = quietest
    }

    mutating func hear(_ frame: Float, duringSpeech: Bool) {
        let smooth = smoothed.map { $0 + (frame - $0) * 0.3 } ?? frame
        smoothed = smooth
        current = min(current, smooth)
        heard += 1
        if heard == Self.framesPerPart {
            minima.append(current)
            if minima.count == Self.parts { minima.removeFirst() }
            current = .infinity
            heard = 0
        }
        let least = min(minima.min() ?? level, current)
        let rise = duringSpeech ? Self.riseDuringSpeech : Self.riseInSilence
        level = max(min(least, level + rise), quietest - 9)
    }
}

/// dBFS of the mean of squared samples of 16 bit; digital silence is -96.
func decibels(meanSquare: Float) -> Float {
    max(10 * log10f(meanSquare / (32768 * 32768) + 1e-20), -96)
}
