/// Probabilities of sequences of units, by interpolated Kneser-Ney smoothing: S. F. Chen and J. Goodman, "An Empirical Study
/// of Smoothing Techniques for Language Modeling" (1998).
struct JointModel: Equatable {
    static let order = 5
    /// The number of bits for a unit in a key.
    static let bits: UInt64 = 12
    static let mostUnits = 1 << Int(bits) - 2
    private static let mask: UInt64 = 1 << bits - 1

    /// N-grams of one length, by keys in ascending order: the last unit in the lowest bits.
    struct Level: Equatable {
        var keys: [UInt64] = []
        /// The probability of each key's last unit after its other units.
        var probabilities: [Float] = []
        /// Sequences of units that were followed by another, one unit shorter than the keys.
        var contexts: [UInt64] = []
        /// For each context, the probability that is left for all other units.
        var rests: [Float] = []
    }

    /// From one unit up to ``order``.
    var levels: [Level]
    var unitCount: Int

    /// - Parameter sequences: the units of each word, numbered from 1. Unit 0 stands for the beginning and the end.
    init(_ sequences: [[UInt16]], unitCount: Int) {
        self.unitCount = unitCount
        var keys: [UInt64] = []
        for sequence in sequences {
            var key: UInt64 = 0
            for unit in sequence + [0] {
                key = Self.append(unit, to: key, length: Self.order)
                keys.append(key)
            }
        }
        keys.sort()
        var counted = Self.countRuns(keys)
        var counts: [(keys: [UInt64], counts: [Int])] = [counted]
        for length in stride(from: Self.order - 1, to: 0, by: -1) {
            // Of shorter n-grams, count the different units before them.
            let mask = (1 as UInt64) << (UInt64(length) * Self.bits) - 1
            counted = Self.countRuns(counted.keys.map { $0 & mask }.sorted())
            counts.append(counted)
        }
        levels = []
        for level in counts.reversed() { add(level.keys, level.counts) }
    }

    init(levels: [Level], unitCount: Int) {
        self.levels = levels
        self.unitCount = unitCount
    }

    private static func append(_ unit: UInt16, to key: UInt64, length: Int) -> UInt64 {
        (key << bits | UInt64(unit)) & ((1 as UInt64) << (UInt64(length) * bits) - 1)
    }

    private static func countRuns(_ sorted: [UInt64]) -> (keys: [UInt64], counts: [Int]) {
        var keys: [UInt64] = []
        var counts: [Int] = []
        for key in sorted {
            if key == keys.last {
                counts[counts.count - 1] += 1
            } else {
                keys.append(key)
                counts.append(1)
            }
        }
        return (keys, counts)
    }

    private mutating func add(_ keys: [UInt64], _ counts: [Int]) {
        var level = Level()
        let once = Double(counts.count { $0 == 1 })
        let twice = Double(counts.count { $0 == 2 })
        // Without a discount, unseen sequences would have the probability 0.
        let discount = once + twice > 0 ? min(0.9, max(0.1, once / (once + 2 * twice))) : 0.5
        level.keys = keys
        level.probabilities.reserveCapacity(keys.count)
        var start = 0
        while start < keys.count {
            let context = keys[start] >> Self.bits
            var end = start
            var sum = 0
            while end < keys.count, keys[end] >> Self.bits == context {
                sum += counts[end]
                end += 1
            }
            let rest = discount * Double(end - start) / Double(sum)
            for index in start..<end {
                let shorter = probability(
                    of: UInt16(keys[index] & Self.mask), after: context, length: levels.count)
                level.probabilities.append(
                    Float((Double(counts[index]) - discount) / Double(sum) + rest * Double(shorter)))
            }
            level.contexts.append(context)
            level.rests.append(Float(rest))
            start = end
        }
        levels.append(level)
    }

    /// - Parameter length: of the longest n-grams to use.
    private func probability(of unit: UInt16, after history: UInt64, length: Int) -> Float {
        var left: Float = 1
        for length in stride(from: length, to: 0, by: -1) {
            let level = levels[length - 1]
            let context = history & ((1 as UInt64) << (UInt64(length - 1) * Self.bits) - 1)
            if let index = level.keys.index(of: context << Self.bits | UInt64(unit)) {
                return left * level.probabilities[index]
            }
            if let index = level.contexts.index(of: context) { left *= level.rests[index] }
        }
        return left / Float(unitCount + 1)
    }

    /// - Parameter history: the units before it, the last in the lowest bits.
    func probability(of unit: UInt16, after history: UInt64) -> Float {
        probability(of: unit, after: history, length: levels.count)
    }

    func history(_ history: UInt64, with unit: UInt16) -> UInt64 {
        Self.append(unit, to: history, length: Self.order - 1)
    }
}

extension [UInt64] {
    /// By binary search.
    fileprivate func index(of key: UInt64) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == key ? low : nil
    }
}
