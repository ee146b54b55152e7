/// Measures the sound of a session, in parts of 0.1 s.
public struct SoundMeter: Sendable {
    /// Frames of a part at 16 kHz.
    public static let part = 1600

    private var frames = 0
    private var lowest = Int16.max
    private var highest = Int16.min
    private var clipped = 0
    private var sum = 0
    private var squares = 0

    public init() {}

    /// Takes samples. Returns what each complete part shows.
    /// - Parameter isAntiphase: whether they are one of several channels that cancel each other.
    public mutating func measure(_ samples: [Int16], isAntiphase: Bool = false) -> [SoundMeasure] {
        var measures: [SoundMeasure] = []
        var rest = samples[...]
        while !rest.isEmpty {
            let next = rest.prefix(Self.part - frames)
            rest = rest.dropFirst(next.count)
            measure(next)
            guard frames == Self.part else { break }
            let mean = Double(sum) / Double(frames)
            measures.append(
                SoundMeasure(
                    range: Int(highest) - Int(lowest), clipped: clipped,
                    power: max(0, Double(squares) / Double(frames) - mean * mean), isAntiphase: isAntiphase))
            self = SoundMeter()
        }
        return measures
    }

    private mutating func measure(_ samples: ArraySlice<Int16>) {
        frames += samples.count
        samples.withUnsafeBufferPointer { buffer in
            for sample in buffer {
                lowest = min(lowest, sample)
                highest = max(highest, sample)
                if sample == .max || sample == .min { clipped += 1 }
                sum += Int(sample)
                squares += Int(sample) * Int(sample)
            }
        }
    }
}

/// What 0.1 s of sound shows of the microphone.
public struct SoundMeasure: Hashable, Sendable {
    /// From the lowest to the highest sample.
    public var range: Int
    /// Samples at full scale.
    public var clipped: Int
    /// The mean square, without a constant offset.
    public var power: Double
    public var isAntiphase: Bool

    public init(range: Int, clipped: Int = 0, power: Double, isAntiphase: Bool = false) {
        self.range = range
        self.clipped = clipped
        self.power = power
        self.isAntiphase = isAntiphase
    }
}
