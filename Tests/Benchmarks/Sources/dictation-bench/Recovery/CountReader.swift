import DictationTestKit

/// Reads the numbers of counting microphones: which one was captured, and what is missing.
struct CountReader {
    struct Chunk: Hashable, Sendable {
        /// The last captured microphone; nil for one that does not count.
        var sign: FloatingPointSign?
        /// At a change of microphones: the frames between the last of one and the first of the other, negative if they
        /// overlap.
        var lostBetween: Int?
        var frames = 0
    }

    private var last: (sign: FloatingPointSign, number: Int)?

    mutating func read(_ samples: [Int16]) -> Chunk {
        var chunk = Chunk(sign: last?.sign, frames: samples.count)
        // Zeroes do not belong to a microphone.
        for sample in samples where sample != 0 {
            let sign: FloatingPointSign = sample < 0 ? .minus : .plus
            let number = abs(Int(sample))
            if let last, sign != last.sign {
                chunk.lostBetween = Self.distance(from: last.number, to: number) - 1
            }
            last = (sign, number)
            chunk.sign = sign
        }
        return chunk
    }

    /// The shortest distance on the circle.
    private static func distance(from one: Int, to other: Int) -> Int {
        let limit = DriverMicrophone.countLimit
        let forward = ((other - one) % limit + limit) % limit
        return forward <= limit / 2 ? forward : forward - limit
    }
}
