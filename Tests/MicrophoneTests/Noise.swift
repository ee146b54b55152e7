/// Samples that differ from silence and from each other over any stretch, so that missing, doubled or changed samples
/// are found.
func noise(_ count: Int, seed: UInt64 = 1) -> [Int16] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        let sample = Int16(truncatingIfNeeded: state >> 32) / 2
        return sample == 0 ? 1 : sample
    }
}
