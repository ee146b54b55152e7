/// Makes one channel of several: their mean, or the loudest of them where the mean cancels, as with a balanced cable in a
/// stereo socket.
///
/// Deterministic: the output does not depend on how the samples are split into calls.
struct ChannelMix {
    /// Frames after which it decides again. At 16 kHz 0.1 s.
    private static let part = 1600
    /// Of the energies so far that count after a part.
    private static let memory = 0.8
    /// The mean of independent channels has their mean energy by their number. Far less is cancelled.
    private static let cancelled = 0.2

    private let channels: Int
    private var energies: [Double]
    private var mixEnergy = 0.0
    private var frames = 0
    /// The channel that is used; nil for the mean.
    private var chosen: Int?

    /// Whether the mean cancels.
    var usesOne: Bool { chosen != nil }

    init(channels: Int) {
        self.channels = channels
        energies = Array(repeating: 0, count: channels)
    }

    /// - Parameter sample: the sample of a channel.
    mutating func frame(_ sample: (Int) -> Float) -> Float {
        var sum: Float = 0
        var one: Float = 0
        for channel in 0..<channels {
            let value = sample(channel)
            sum += value
            energies[channel] += Double(value * value)
            if channel == chosen { one = value }
        }
        let mean = sum / Float(channels)
        mixEnergy += Double(mean * mean)
        frames += 1
        defer { if frames == Self.part { decide() } }
        return chosen == nil ? mean : one
    }

    private mutating func decide() {
        let total = energies.reduce(0, +)
        // Of the mean of the energies, by the number of channels.
        let independent = total / Double(channels * channels)
        if total > 0, mixEnergy < Self.cancelled * independent {
            chosen = energies.indices.max { energies[$0] < energies[$1] }
        } else {
            chosen = nil
        }
        for channel in energies.indices { energies[channel] *= Self.memory }
        mixEnergy *= Self.memory
        frames = 0
    }
}
