import DictationCore

/// Cuts passages out of a session's audio, including the pauses between segments. Keeps the audio that a passage may
/// still need.
struct PassageBuilder {
    /// A passage's audio, and its position on the block's clock, in frames.
    struct Sound: Sendable {
        var cut: PassageCutter.Cut
        var samples: [Int16]
        var voice = VoiceEvidence()
    }

    /// Frames that are kept in silence: more than the detector's pre-roll.
    private static let kept = 16000

    private var cutter = PassageCutter()
    private var sound: [Int16] = []
    /// Position of the first sample in `sound`.
    private var first = 0

    func secondsUntilDip(from position: Int) -> Double { cutter.secondsUntilDip(from: position) }

    var dipSearch: Double { cutter.rules.dipSearch }

    /// Where the open passage begins; nil if none is open.
    var start: Int? { cutter.start }
    /// Whether its first samples also belong to the passage before.
    var overlaps: Bool { cutter.overlaps }

    mutating func use(_ rules: PassageCutter.Rules) { cutter.rules = rules }

    /// The sound between two positions, as far as it is kept.
    func samples(from start: Int, to end: Int) -> [Int16] {
        let last = min(max(0, end - first), sound.count)
        return Array(sound[min(max(0, start - first), last)..<last])
    }

    mutating func append(_ samples: ArraySlice<Int16>) {
        sound.append(contentsOf: samples)
    }

    mutating func speechBegan(at position: Int) -> Sound? { sound(of: cutter.speechBegan(at: position)) }

    mutating func speechEnded(at position: Int) { cutter.speechEnded(at: position) }

    mutating func speechCut(at position: Int) -> Sound? { sound(of: cutter.speechCut(at: position)) }

    mutating func advance(to position: Int) -> Sound? {
        let passage = sound(of: cutter.advance(to: position))
        forget()
        return passage
    }

    mutating func flush(at position: Int) -> Sound? { sound(of: cutter.flush(at: position)) }

    /// Starts a new block.
    mutating func restart() {
        cutter.restart()
        sound = []
        first = 0
    }

    private func sound(of cut: PassageCutter.Cut?) -> Sound? {
        guard let cut else { return nil }
        let start = min(max(0, cut.start - first), sound.count)
        let end = min(max(start, cut.end - first), sound.count)
        return Sound(cut: cut, samples: Array(sound[start..<end]))
    }

    private mutating func forget() {
        let end = first + sound.count
        let surplus = (cutter.start ?? end - Self.kept) - first
        // In steps of a second, to save copying.
        guard surplus > Self.kept, surplus <= sound.count else { return }
        sound.removeFirst(surplus)
        first += surplus
    }
}
