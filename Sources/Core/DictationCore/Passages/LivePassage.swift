/// What a ``PassageQueue`` knows of a passage whose engine gives text during speech. Positions count the passage's samples.
struct LivePassage: Sendable {
    /// Position of its first sample on the block's clock, in samples.
    let start: Int
    /// Whether a connection to the engine takes its sound, or awaits its answer.
    var hasStream = false
    /// Connections so far.
    var streams = 0
    /// Whether a connection failed since the engine's latest text.
    var isBroken = false
    /// Since when the engine does not even answer a ping.
    var hangsSince: Duration?
    /// When its sound was complete; nil while it is spoken.
    var closedAt: Duration?
    /// Behind the last speech.
    var speechEnd = 0
    /// The engine's latest text.
    var partial: PassagePartial?
    /// The engine broke the protocol: its text is shown until the preview engine has as much, and not kept.
    var isDistrusted = false
    /// The end of the sound that the engine's text covers.
    var covered = 0
    /// The preview engine's work; nil while it is not needed.
    var preview: PassagePreview?
    /// What is shown since the preview engine took over. It stays until another text has as many words.
    private var held: LiveText?

    init(start: Int) {
        self.start = start
    }

    /// Speech without the engine's text, in samples.
    var lag: Int { max(0, speechEnd - covered) }

    /// What is known of the text.
    var text: LiveText { held ?? newest }

    /// After each change: the engines take turns, and a turn takes no words away.
    mutating func hold() {
        let newest = newest
        if let held, Self.words(in: newest.text) < Self.words(in: held.text) { return }
        held = preview?.isShown ?? false ? newest : nil
    }

    private var newest: LiveText {
        let shown = LiveText(partial?.text ?? "", settled: partial?.settled ?? 0, language: partial?.language)
        guard let preview, preview.isShown, case let text = preview.text,
            Self.words(in: text) >= Self.words(in: shown.text)
        else {
            return shown
        }
        return LiveText(
            text, settled: preview.kept == shown.text ? shown.settled : 0, language: shown.language)
    }

    /// Without the engine.
    var fallbackText: LiveText {
        guard let preview, preview.isComplete, !preview.text.isEmpty else { return text }
        return LiveText(preview.text, language: partial?.language)
    }

    private static func words(in text: String) -> Double { PassageFilter.wordCount(of: text) }
}

/// The preview engine takes over a passage: its text follows the text that the engine gave.
struct PassagePreview: Sendable {
    /// Samples before the end of the engine's text that are recognised again. The engine holds back the word that is being
    /// spoken.
    static let overlap = 19_200

    let number: Int
    /// The first sample that the preview engine gets.
    let from: Int
    /// The engine's text up to there.
    let kept: String
    /// False while it is likely that the engine goes on.
    var isShown: Bool
    var segments: [Segment] = []
    var hypothesis = ""
    var isComplete = false
    var hasFailed = false

    init(number: Int, of passage: LivePassage, isShown: Bool) {
        self.number = number
        self.isShown = isShown
        kept = passage.isDistrusted ? "" : passage.partial?.text ?? ""
        from = kept.isEmpty ? 0 : max(0, passage.covered - Self.overlap)
    }

    /// The engine's text and what the preview engine recognised after it.
    var text: String {
        let heard = (segments.map(\.text) + [hypothesis]).filter { !$0.isEmpty }.joined(separator: " ")
        guard !kept.isEmpty else { return heard }
        let rest = PassageOverlap.remainder(of: heard, after: kept, mayGoOn: !isComplete)
        return rest.isEmpty ? kept : kept + " " + rest
    }
}

/// A passage that the preview engine must recognise, from a sample on.
public struct PreviewWish: Hashable, Sendable {
    public var passage: PassageQueue.ID
    /// Counts the wishes of a queue. A wish with another number replaces the one before.
    public var number: Int
    public var block: BlockNumber
    /// Position of the first sample on the block's clock.
    public var start: Int
    /// Whether no more sound follows.
    public var isClosed: Bool
}

/// What the preview engine reports about a wish.
public enum PreviewEvent: Hashable, Sendable {
    case hypothesis(String)
    case segment(Segment)
    /// It failed on a part of the sound.
    case failed
    /// It has recognised all of the passage.
    case complete
}
