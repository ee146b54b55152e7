import Foundation

/// The random numbers of one test. The seed differs each time and is printed, so that it is in the output of a failed
/// test. The environment variable `DICTATION_TEST_SEED` sets it.
public struct TestRandom: RandomNumberGenerator, Sendable {
    public let seed: UInt64
    private var generator: SplitMix

    /// - Parameter test: a name that is printed with the seed.
    public init(_ test: String = #function, file: String = #fileID) {
        let given = ProcessInfo.processInfo.environment["DICTATION_TEST_SEED"].flatMap { UInt64($0) }
        seed = given ?? .random(in: 0 ... .max)
        generator = SplitMix(seed: seed)
        print("\(file) \(test): DICTATION_TEST_SEED=\(seed)")
    }

    public mutating func next() -> UInt64 { generator.next() }
}
