import DictationTestKit

/// Changes inputs at random; the same changes for the same seed.
struct Mutator: RandomNumberGenerator {
    private var generator: SplitMix

    init(seed: UInt64) {
        generator = SplitMix(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }

    /// - Parameter other: an input of which a part may be taken.
    mutating func mutated(_ bytes: [UInt8], with other: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) { change(&bytes, other) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
        guard !bytes.isEmpty else { return bytes = other }
        let place = Int.random(in: 0..<bytes.count, using: &self)
        switch Int.random(in: 0..<6, using: &self) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 1: bytes[place] = [0, 1, 10, 32, 0x7f, 0x80, 0xff].randomElement(using: &self) ?? 0
        case 2: bytes.removeSubrange(range(of: bytes, from: place))
        case 3: bytes.insert(contentsOf: bytes[range(of: bytes, from: place)], at: place)
        case 4: bytes.insert(.random(in: .min ... .max, using: &self), at: place)
        default:
            guard !other.isEmpty else { return }
            let start = Int.random(in: 0..<other.count, using: &self)
            bytes.insert(contentsOf: other[range(of: other, from: start)], at: place)
        }
    }

    /// At most 64 bytes.
    private mutating func range(of bytes: [UInt8], from place: Int) -> Range<Int> {
        place..<min(bytes.count, place + Int.random(in: 1...64, using: &self))
    }
}
