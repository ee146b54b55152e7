/// The sound of a session's blocks, for its history: of the present one, and of those whose text is not final yet.
public struct BlockSounds: Sendable {
    /// The longest sound of a block, in frames: five minutes. A longer block has none.
    static let blockLimit = 5 * 60 * Int(sampleRate)
    /// Of the blocks whose text is not final.
    static let waitingLimit = 2 * blockLimit
    /// Silence before a block's first speech that is kept.
    static let leadLimit = 2 * Int(sampleRate)

    private var samples: [Int16] = []
    private var isTooLong = false
    private var isSpeaking = false
    private var hasSpeech = false
    private var waiting: [(block: BlockNumber, samples: [Int16])] = []

    public init() {}

    public mutating func append(_ new: [Int16]) {
        guard !isTooLong else { return }
        samples += new
        if !hasSpeech, samples.count > 2 * Self.leadLimit {
            samples.removeFirst(samples.count - Self.leadLimit)
        }
        guard samples.count > Self.blockLimit else { return }
        isTooLong = true
        samples = []
    }

    public mutating func speechBegan() {
        isSpeaking = true
        hasSpeech = true
    }

    public mutating func speechEnded() { isSpeaking = false }

    /// What was appended belongs to this block, and what follows to the next.
    public mutating func end(_ block: BlockNumber) {
        waiting.append((block, samples))
        begin()
        var frames = waiting.reduce(0) { $0 + $1.samples.count }
        while frames > Self.waitingLimit { frames -= waiting.removeFirst().samples.count }
    }

    /// The block is cancelled.
    public mutating func discard() { begin() }

    private mutating func begin() {
        samples = []
        isTooLong = false
        hasSpeech = isSpeaking
    }

    /// The sound of a block whose text is final; empty if there is none. That of earlier blocks is dropped, too.
    public mutating func take(_ block: BlockNumber) -> [Int16] {
        let sound = waiting.first { $0.block == block }?.samples ?? []
        waiting.removeAll { $0.block <= block }
        return sound
    }
}
