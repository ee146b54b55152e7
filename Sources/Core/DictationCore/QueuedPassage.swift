/// A passage in a ``PassageQueue``.
struct QueuedPassage: Sendable {
    enum State: Sendable {
        case waiting
        case sent(at: Duration, deadline: Duration)
        case settled(Outcome)
    }

    enum Outcome: Sendable {
        case text(PassageText)
        /// Part of the passage was not recognised. The text is that of the preview engine.
        case lost(PassageText, message: String)
    }

    let id: PassageQueue.ID
    var passage: Passage
    var state = State.waiting
    var attempts = 0
    /// The text must be final by then.
    var limit: Duration?
    /// Whether it is the last passage of its block.
    var isLastOfBlock = false
    /// Its text was dropped, or would have been: its sound is noise.
    var isDropped = false

    init(id: PassageQueue.ID, passage: Passage) {
        self.id = id
        self.passage = passage
    }

    var isWaiting: Bool {
        if case .waiting = state { true } else { false }
    }

    /// Its samples, with silence after them if they are few: whisper.cpp gives no text for less than a second.
    var samplesToSend: [Int16] {
        let missing = Self.fewestSamples - passage.samples.count
        return missing > 0 ? passage.samples + [Int16](repeating: 0, count: missing) : passage.samples
    }

    private static let fewestSamples = 17600

    /// Nil while its text is not known.
    var outcome: Outcome? {
        if case .settled(let outcome) = state { outcome } else { nil }
    }

    /// The next timeout of this passage.
    var deadline: Duration? {
        switch state {
        case .waiting: limit
        case .sent(_, let deadline): min(deadline, limit ?? deadline)
        case .settled: nil
        }
    }

    /// Uses the preview's text, because the engine gave none.
    mutating func giveUp(_ message: String, _ settings: PassageQueue.Settings) {
        let text = previewText(settings)
        state = .settled(passage.hasPreview ? .text(text) : .lost(text, message: message))
    }

    /// Decides whether the engine's text is used; see ``PassageFilter``.
    mutating func judge(_ text: String, detectsSpeech: Bool, _ settings: PassageQueue.Settings) {
        let choice = PassageFilter.choose(
            engine: text, preview: passage.previewText, seconds: passage.seconds, voice: passage.voice,
            detectsSpeech: detectsSpeech)
        switch choice {
        case .engine(let text): settle(text, by: settings.engine)
        case .nothing: settle(nil, by: settings.engine)
        case .noise: settleAsNoise(settings)
        case .preview: state = .settled(.text(previewText(settings)))
        }
    }

    /// Whatever the engine answers, it is not used: the sound is too short for a whisper.
    var isNoise: Bool {
        guard let voice = passage.voice, (passage.previewText ?? "").isEmpty else { return false }
        return voice.source != .voice && !voice.mayBeWhisper
    }

    mutating func settleAsNoise(_ settings: PassageQueue.Settings) {
        isDropped = true
        settle(nil, by: settings.engine)
    }

    /// - Parameter text: nil if nothing was said.
    mutating func settle(_ text: String?, by engine: String) {
        let segment = Segment(
            text: text ?? "", start: passage.start, end: passage.end, isCut: passage.isCut)
        state = .settled(
            .text(PassageText(replaces: passage.preview.count, segment: segment, engine: engine)))
    }

    private func previewText(_ settings: PassageQueue.Settings) -> PassageText {
        PassageText(
            replaces: passage.preview.count, segment: nil,
            engine: settings.previewEngine ?? settings.engine)
    }
}
