import DictationCore

/// The sound of a session until its recogniser is opened, with the commands for that in between.
struct WaitingSound {
    enum Part {
        case samples([Int16])
        case command(TranscriptionCommand)
    }

    private(set) var parts: [Part] = []
    private(set) var frames = 0
    /// The block that sound belongs to.
    private(set) var block: BlockNumber = 1

    /// In frames at 16 kHz: two minutes, longer than anything that it waits for.
    private static let limit = 120 * 16_000

    /// - Returns: the frames for which there is no room.
    mutating func append(_ samples: [Int16]) -> Int {
        let new = samples.prefix(Self.limit - frames)
        frames += new.count
        if !new.isEmpty { parts.append(.samples(Array(new))) }
        return samples.count - new.count
    }

    mutating func append(_ command: TranscriptionCommand) {
        parts.append(.command(command))
        switch command {
        case .cut, .acoustics: break
        case .endBlock(let number), .discardBlock(let number): block = number + 1
        }
    }
}
