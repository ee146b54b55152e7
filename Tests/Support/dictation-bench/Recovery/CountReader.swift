import DictationTestKit

/// Reads what microphones that count have said: which of them, and what is missing.
struct CountReader {
    struct Chunk: Hashable, Sendable {
        /// Of the microphone that was heard last in it; nil for one that does not count.
        var sign: FloatingPointSign?
        /// Where another microphone began in it: the frames between the last of the one and the first of the other,
        /// below 0 where the other began before the one had ended.
        var lostBetween: Int?
        var frames = 0
    }

    private var last: (sign: FloatingPointSign, number: Int)?

    mutating func read(_ samples: [Int16]) -> Chunk {
        var chunk = Chunk(sign: last?.sign, frames: samples.count)
        // Zeroes are no microphone's.
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

    /// The shortest way round.
    private static func distance(from one: Int, to other: Int) -> Int {
        let limit = DriverMicrophone.countLimit
        let forward = ((other - one) % limit + limit) % limit
        return forward <= limit / 2 ? forward : forward - limit
    }
}
