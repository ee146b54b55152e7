/// Removes the constant offset that cheap sound cards add. Ordinary sound stays bit for bit as it is.
///
/// Deterministic: the output does not depend on how the samples are split into calls.
struct OffsetRemover: Sendable {
    /// Samples of which a mean is taken: 0.1 s.
    private static let part = 1600
    /// Of the mean that a new part changes: it follows within a second.
    private static let share = 0.1
    /// Offsets below 1 % disturb nothing.
    private static let least = 328.0

    private var sum = 0
    private var count = 0
    /// The mean of all parts so far.
    private var mean: Double?
    private var offset: Int16 = 0

    mutating func remove(from samples: [Int16]) -> [Int16] {
        var rest = samples[...]
        var centred: [Int16] = []
        while !rest.isEmpty {
            let next = rest.prefix(Self.part - count)
            rest = rest.dropFirst(next.count)
            for sample in next { sum += Int(sample) }
            count += next.count
            let offset = offset
            if offset != 0 {
                centred.append(contentsOf: next.map { Int16(clamping: Int($0) - Int(offset)) })
            } else if next.count < samples.count || !centred.isEmpty {
                centred.append(contentsOf: next)
            } else {
                // Not copied.
                centred = samples
            }
            if count == Self.part { learn() }
        }
        return centred
    }

    private mutating func learn() {
        let latest = Double(sum) / Double(Self.part)
        let new = mean.map { $0 + (latest - $0) * Self.share } ?? latest
        mean = new
        offset = abs(new) >= Self.least ? Int16(clamping: Int(new.rounded())) : 0
        sum = 0
        count = 0
    }
}
