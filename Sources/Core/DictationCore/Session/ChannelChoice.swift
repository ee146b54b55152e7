/// Decides whether all channels of a microphone are captured, or one because they cancel each other, as those of a balanced
/// cable in a stereo socket do.
///
/// The audio server mixes the channels, so what one of them has is known only when it is captured alone. That is tried once for
/// a microphone that gives hardly any sound.
struct ChannelChoice: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        case all
        /// One is captured for a moment. With the power of the loudest part of the mix.
        case trying(mix: Double, parts: Int, loudParts: Int)
        /// All are captured for a moment, because speech may have begun while one was tried. With the power of the one.
        case comparing(one: Double, parts: Int)
        case one
        /// One has no more sound than all.
        case allForGood
    }

    /// Parts, of 0.1 s, in which one channel must be louder than the mix.
    private static let triedParts = 20
    private static let loudParts = 2
    /// Parts of the mix that are quieter than the one channel was, until it counts as cancelled.
    private static let comparedParts = 10
    /// Uncorrelated noise of one channel is louder than that of the mean of two by 3 dB; this is 9 dB.
    private static let louder = 8.0
    private static let recentParts = 15

    private var state = State.all
    private var mix: [Double] = []

    var usesOne: Bool {
        switch state {
        case .all, .comparing, .allForGood: false
        case .trying, .one: true
        }
    }

    /// The channels cancel each other.
    var isAntiphase: Bool { state == .one }

    var isTrying: Bool { if case .trying = state { true } else { false } }

    /// Adds the next 0.1 s of sound.
    /// - Parameters:
    ///   - isHardlyAny: the microphone is silent, or too quiet.
    ///   - channels: of the microphone.
    /// - Returns: whether it must be captured in the other way now.
    mutating func add(_ part: SoundMeasure, isHardlyAny: Bool, channels: Int) -> Bool {
        switch state {
        case .all:
            mix.append(part.power)
            if mix.count > Self.recentParts { mix.removeFirst() }
            guard isHardlyAny, channels > 1 else { return false }
            state = .trying(mix: max(1, mix.max() ?? 0), parts: 0, loudParts: 0)
            return true
        case .trying(let mix, let parts, let loudParts):
            let isLouder = part.power > mix * Self.louder
            let loud = isLouder ? loudParts + 1 : loudParts
            if loud >= Self.loudParts {
                // One that has more sound from the beginning has it because the mix cancels.
                guard loud < parts else {
                    state = .one
                    return false
                }
                state = .comparing(one: part.power, parts: 0)
                return true
            } else if parts + 1 >= Self.triedParts {
                state = .allForGood
                return true
            } else {
                state = .trying(mix: mix, parts: parts + 1, loudParts: loud)
            }
            return false
        case .comparing(let one, let parts):
            if part.power * Self.louder > one {
                state = .allForGood
            } else if parts + 1 >= Self.comparedParts {
                state = .one
                return true
            } else {
                state = .comparing(one: one, parts: parts + 1)
            }
            return false
        case .one, .allForGood: return false
        }
    }
}
