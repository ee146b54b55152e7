/// The mean of speech cepstra, which reflects voice and microphone. It is subtracted before frames are compared with
/// the model.
struct CepstralMean: Hashable, Sendable {
    /// `-ceplen` of the models in use.
    static let size = 13

    var values: [Float]

    init(values: [Float]) {
        self.values = values
    }

    /// `-cmninit` of the en-us model of PocketSphinx 5prealpha. Later models have none.
    private static let usual: [Float] = [
        41, -5.29, -0.12, 5.09, 2.48, -4.07, -1.37, -1.78, -5.08, -2.05, -6.45, -1.42, 1.17,
    ]

    /// - Parameter text: in the format of `-cmninit`: numbers separated by commas. The usual mean where it has other than
    ///   ``size`` of them, as the library's own default has.
    init(parsing text: String) {
        let numbers = text.split(separator: ",").compactMap { Float($0) }
        values = numbers.count == Self.size ? numbers : Self.usual
    }
}

/// Sums of a segment's frames so far. Frames without energy are not counted, as in SphinxBase's own estimate (`cmn.c`).
struct CepstralStatistics {
    /// Neighbouring frames are correlated; this many count as one.
    private static let correlated: Float = 12

    private var sums = [Float](repeating: 0, count: CepstralMean.size)
    private var squares = [Float](repeating: 0, count: CepstralMean.size)
    private(set) var frames = 0

    var mean: CepstralMean? {
        frames == 0 ? nil : CepstralMean(values: sums.map { $0 / Float(frames) })
    }

    mutating func add(_ cepstra: ArraySlice<Float>) {
        for start in stride(from: cepstra.startIndex, to: cepstra.endIndex, by: CepstralMean.size)
        where cepstra[start] >= 0 {
            frames += 1
            for index in 0..<CepstralMean.size {
                let value = cepstra[start + index]
                sums[index] += value
                squares[index] += value * value
            }
        }
    }

    /// The maximum a posteriori estimate of the mean from these frames and a prior mean, which counts as this many
    /// frames.
    func mean(with prior: CepstralMean, worth weight: Float) -> CepstralMean {
        let all = Float(frames) + weight
        return CepstralMean(values: zip(sums, prior.values).map { ($0 + $1 * weight) / all })
    }

    /// Distance of these frames from a mean: the mean squared deviation, in units of its expected value for so many
    /// frames. About 1 for the same voice and microphone, more than 2 for others.
    func distance(to other: CepstralMean) -> Float {
        guard frames > 0 else { return 0 }
        let count = Float(frames)
        let sum = (0..<CepstralMean.size).reduce(Float(0)) { sum, index in
            let mean = sums[index] / count
            let variance = max(squares[index] / count - mean * mean, 1e-3)
            let deviation = mean - other.values[index]
            return sum + deviation * deviation * count / (variance * Self.correlated)
        }
        return sum / Float(CepstralMean.size)
    }
}
