import Foundation

/// Random numbers of one test, by SplitMix64. The seed is another each time, and printed, so that the output of a failed
/// test has it; the environment variable `DICTATION_TEST_SEED` gives it.
public struct TestRandom: RandomNumberGenerator, Sendable {
    public let seed: UInt64
    private var state: UInt64

    /// - Parameter test: what is printed with the seed.
    public init(_ test: String = #function, file: String = #fileID) {
        let given = ProcessInfo.processInfo.environment["DICTATION_TEST_SEED"].flatMap { UInt64($0) }
        seed = given ?? .random(in: 0 ... .max)
        state = seed
        print("\(file) \(test): DICTATION_TEST_SEED=\(seed)")
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}
