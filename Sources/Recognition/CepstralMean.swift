import Glibc
import Synchronization

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

    func distance(to other: CepstralMean) -> Float {
        zip(values, other.values).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
    }
}

/// Means by microphone and speaker, for as long as the process lives. Holds no words and no audio.
public final class CepstralMemory: Sendable {
    /// Microphones remembered; the oldest use is forgotten.
    private static let limit = 256

    private let means = Mutex<[(key: AcousticKey, mean: CepstralMean)]>([])

    public init() {}

    func mean(for key: AcousticKey) -> CepstralMean? {
        means.withLock { means in means.last { $0.key == key }?.mean }
    }

    func remember(_ mean: CepstralMean, for key: AcousticKey) {
        means.withLock { means in
            means.removeAll { $0.key == key }
            if means.count == Self.limit { means.removeFirst() }
            means.append((key, mean))
        }
    }
}
