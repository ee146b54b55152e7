/// The mean of speech cepstra: what the voice and the microphone add to every frame, and what is taken off
/// before frames are compared with the model.
struct CepstralMean: Hashable, Sendable {
    /// `-ceplen` of the models in use.
    static let size = 13

    var values: [Float]

    init(values: [Float]) {
        self.values = values
    }

    /// As `-cmninit` writes it: numbers separated by commas; what is missing is 0.
    init(parsing text: String?) {
        let numbers = (text ?? "").split(separator: ",").map { Float($0) ?? 0 }
        values = Array((numbers + Array(repeating: 0, count: Self.size)).prefix(Self.size))
    }
}

/// Sums of a segment's frames so far. Frames without energy are not counted, as in SphinxBase's own estimate
/// (`cmn.c`).
struct CepstralStatistics {
    /// Neighbouring frames say nearly the same; so many of them count as one.
    private static let correlated: Float = 12

    private var sums = [Float](repeating: 0, count: CepstralMean.size)
    private var squares = [Float](repeating: 0, count: CepstralMean.size)
    private(set) var frames = 0

    var mean: CepstralMean? {
        frames == 0 ? nil : CepstralMean(values: sums.map { $0 / Float(frames) })
    }

    mutating func hear(_ cepstra: ArraySlice<Float>) {
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

    /// These frames and a mean from before, which counts as much as so many frames: the estimate of a mean
    /// that was drawn around the one before (maximum a posteriori).
    func mean(with prior: CepstralMean, worth weight: Float) -> CepstralMean {
        let all = Float(frames) + weight
        return CepstralMean(values: zip(sums, prior.values).map { ($0 + $1 * weight) / all })
    }

    /// How improbable it is that these frames come from the voice and the microphone of that mean: about 1
    /// where they do, more than 2 where something else is heard. The mean squared deviation, in units of
    /// what the frames' own variance makes of so many of them.
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
