/// The background level, from the peaks of what was read. Falls at once and rises slowly, so that it follows a fan that
/// was switched on, but not speech.
struct QuietLevel {
    private var floor = 0.0

    /// Peaks up to this level may be silence: twice the background, 6 dB.
    var peak: Int { Int(2 * floor) }

    mutating func measure(_ samples: [Int16], rate: Int = CaptureRequest.speechRate) {
        let peak = Double(samples.reduce(0) { max($0, abs(Int($1))) })
        // A tenth of a second raises it by a twentieth of the difference: two seconds of noise by two thirds.
        floor = peak < floor ? peak : floor + (peak - floor) * Double(samples.count) / Double(2 * rate)
    }
}
