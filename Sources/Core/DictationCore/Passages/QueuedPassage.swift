/// A passage in a ``PassageQueue``.
struct QueuedPassage: Sendable {
    enum State: Sendable {
        /// Its sound is still coming.
        case open
        case waiting
        case sent(at: Duration, deadline: Duration)
        /// The engine gave no text. Waits for the preview engine.
        case abandoned(message: String)
        case finished(Outcome)
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
    /// Nil if the engine gets it as a whole.
    var live: LivePassage?

    init(id: PassageQueue.ID, passage: Passage) {
        self.id = id
        self.passage = passage
    }

    /// Whether the engine has it, or a part of it.
    var isAtEngine: Bool {
        switch state {
        case .sent: true
        case .open: live?.hasStream ?? false
        case .waiting, .abandoned, .finished: false
        }
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
        if case .finished(let outcome) = state { outcome } else { nil }
    }

    /// The next timeout of this passage.
    var deadline: Duration? {
        switch state {
        case .waiting: limit
        case .sent(_, let deadline): min(deadline, limit ?? deadline)
        case .open, .abandoned, .finished: nil
        }
    }

    /// Uses the preview's text, because the engine gave none.
    mutating func abandon(_ message: String, _ settings: PassageQueue.Settings) {
        guard live == nil else {
            state = .abandoned(message: message)
            return
        }
        let text = previewText(settings)
        state = .finished(passage.hasPreview ? .text(text) : .lost(text, message: message))
    }

    /// Uses the text of a live passage's preview if it is complete, and what is known of the text if there is none.
    mutating func finishGivenUp(_ message: String, _ settings: PassageQueue.Settings, hasPreviewEngine: Bool)
    {
        guard let live else { return }
        let preview = live.preview
        guard preview?.isComplete ?? !hasPreviewEngine else { return }
        let isLost = preview?.hasFailed ?? true
        var segment = Segment(
            text: live.fallbackText.text, start: passage.start, end: passage.end, isCut: passage.isCut)
        if let preview, preview.kept.isEmpty { segment.words = preview.segments.flatMap(\.words) }
        let isMixed = preview?.kept.isEmpty == false || preview == nil
        let text = PassageText(
            replaces: 0, segment: segment,
            engine: isMixed ? settings.engine : settings.previewEngine ?? settings.engine,
            language: live.text.language, isFallback: true)
        state = .finished(isLost ? .lost(text, message: message) : .text(text))
    }

    /// Decides whether the engine's text is used; see ``PassageFilter``.
    mutating func judge(
        _ answer: PassageAnswer, detectsSpeech: Bool, _ settings: PassageQueue.Settings,
        _ respelling: Respelling?
    ) {
        func respelled(_ text: String) -> String { respelling?(text) ?? text }
        switch answer.isSpeech {
        case true?:
            return finish(respelled(EngineText.clean(answer.text)), answer.language, by: settings.engine)
        case false?: return finish(nil, answer.language, by: settings.engine)
        case nil: break
        }
        let choice = PassageFilter.choose(
            engine: answer.text, preview: passage.previewText, seconds: passage.seconds, voice: passage.voice,
            detectsSpeech: detectsSpeech)
        switch choice {
        case .engine(let text): finish(respelled(text), answer.language, by: settings.engine)
        case .nothing: finish(nil, answer.language, by: settings.engine)
        case .noise: finishAsNoise(settings)
        case .preview: abandon("The engine's text is not what was said.", settings)
        }
    }

    /// Whatever the engine answers, it is not used: the sound is too short for a whisper.
    var isNoise: Bool {
        guard let voice = passage.voice, (passage.previewText ?? "").isEmpty else { return false }
        return voice.source != .voice && !voice.mayBeWhisper
    }

    mutating func finishAsNoise(_ settings: PassageQueue.Settings) {
        isDropped = true
        finish(nil, by: settings.engine)
    }

    /// - Parameter text: nil if nothing was said.
    mutating func finish(_ text: String?, _ language: String? = nil, by engine: String) {
        let segment = Segment(
            text: text ?? "", start: passage.start, end: passage.end, isCut: passage.isCut)
        state = .finished(
            .text(
                PassageText(
                    replaces: passage.preview.count, segment: segment, engine: engine, language: language)))
    }

    private func previewText(_ settings: PassageQueue.Settings) -> PassageText {
        PassageText(
            replaces: passage.preview.count, segment: nil,
            engine: settings.previewEngine ?? settings.engine)
    }
}
