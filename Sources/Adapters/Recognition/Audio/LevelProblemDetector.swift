import DictationCore

/// Detects problems of the microphone. Each problem is reported once, and again after it was gone.
struct LevelProblemDetector: Sendable {
    /// dBFS of speech below which recognition suffers. The upper nine of 16 bits are empty then.
    private static let tooQuiet: Float = -54
    /// Fraction of a second's samples at full scale.
    private static let clippedShare = 0.001
    private static let silentSeconds = 3
    /// A converter without a microphone gives zeros, or one bit of noise.
    private static let noiseOfConverters: Int16 = 1

    private var zeroSeconds = 0
    private var told: Set<LevelProblem> = []
    private var second = Second()

    private struct Second {
        var samples = 0
        var clipped = 0
        var loudest: Int16 = 0
        var speechSquares: Float = 0
        var speechSamples = 0
    }

    /// Problems that start with these samples. Decided once a second.
    mutating func hear(_ samples: ArraySlice<Int16>, isSpeech: Bool) -> [LevelProblem] {
        var squares: Float = 0
        var clipped = 0
        var loudest: Int16 = 0
        samples.withUnsafeBufferPointer { buffer in
            for sample in buffer {
                loudest = max(loudest, sample == .min ? .max : abs(sample))
                if sample == .max || sample == .min { clipped += 1 }
                squares += Float(sample) * Float(sample)
            }
        }
        second.samples += samples.count
        second.clipped += clipped
        second.loudest = max(second.loudest, loudest)
        if isSpeech {
            second.speechSquares += squares
            second.speechSamples += samples.count
        }
        guard second.samples >= 16000 else { return [] }
        defer { second = Second() }
        return judge(second)
    }

    private mutating func judge(_ second: Second) -> [LevelProblem] {
        zeroSeconds = second.loudest > Self.noiseOfConverters ? 0 : zeroSeconds + 1
        var problems: [LevelProblem] = []
        note(.silent, zeroSeconds >= Self.silentSeconds, &problems)
        note(.clipping, Double(second.clipped) > Self.clippedShare * Double(second.samples), &problems)
        if second.speechSamples >= 8000 {
            let level = decibels(meanSquare: second.speechSquares / Float(second.speechSamples))
            note(.tooQuiet, level < Self.tooQuiet, &problems)
        }
        return problems
    }

    private mutating func note(_ problem: LevelProblem, _ holds: Bool, _ problems: inout [LevelProblem]) {
        if !holds {
            told.remove(problem)
        } else if told.insert(problem).inserted {
            problems.append(problem)
        }
    }
}
