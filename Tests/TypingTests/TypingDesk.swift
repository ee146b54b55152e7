import Testing

@testable import Typing

/// A typist, and the text field of an application.
struct TypingDesk {
    var typist: Typist
    var field: TextField?
    var effects: [TypingEffect] = []
    private var waits: [UInt64] = []
    private var taken = 0

    init(
        _ field: TextField? = .entry(), style: TypingStyle = TypingStyle(language: "en-US"),
        recalling recalled: Typist.TypedEnd? = nil
    ) {
        typist = Typist(style: style, recalling: recalled)
        self.field = field
        handle(.field(field))
        handle(.begin(block: 1))
    }

    @discardableResult
    mutating func handle(_ event: TypingEvent) -> [TypingEffect] {
        let new = typist.handle(event)
        for case .wait(let token, _) in new { waits.append(token) }
        effects += new
        return new
    }

    mutating func focus(_ field: TextField?) {
        self.field = field
        handle(.field(field))
    }

    /// The field's text changes, or its cursor.
    mutating func focus(text: String, cursor: Int? = nil, visit: UInt64? = nil) {
        field?.surrounding = SurroundingText(text, cursor: cursor ?? text.unicodeScalars.count)
        if let visit { field?.visit = visit }
        handle(.field(field))
    }

    /// The application takes a commit and reports the text of the field.
    mutating func take(_ text: String) {
        guard let surrounding = field?.surrounding else { return }
        var scalars = surrounding.text
        scalars.insert(contentsOf: text.unicodeScalars, at: surrounding.cursor)
        focus(text: String(scalars), cursor: surrounding.cursor + text.unicodeScalars.count)
    }

    mutating func elapse() {
        let due = waits
        waits = []
        for token in due { handle(.elapsed(token: token)) }
    }

    /// The application takes the commits that it has not taken yet.
    mutating func take() {
        let all = commits
        for text in all[taken...] { take(text) }
        taken = all.count
    }

    /// Carries out the effects as applications do, until there are no more.
    mutating func run() {
        for _ in 0..<50 {
            take()
            elapse()
        }
    }

    mutating func partial(_ text: String, block: UInt64 = 1) { handle(.partial(block: block, text: text)) }

    mutating func final(_ text: String, block: UInt64 = 1, hasInitialCapital: Bool = false) {
        handle(.final(block: block, text: text, hasInitialCapital: hasInitialCapital))
    }

    var commits: [String] {
        effects.compactMap { if case .perform(.commit(let text, _)) = $0 { text } else { nil } }
    }

    /// All live texts; "" when live text was cleared.
    var shown: [String] {
        effects.compactMap {
            switch $0 {
            case .perform(.show(let text)): text
            case .perform(.clear): ""
            default: nil
            }
        }
    }

    var outcomes: [TypingOutcome] {
        effects.compactMap { if case .outcome(let outcome) = $0 { outcome } else { nil } }
    }

    var states: [TypingOutcome.State] { outcomes.map(\.state) }

    var text: String { field?.surrounding.map { String($0.text) } ?? "" }

    var deletions: [Int] {
        effects.compactMap { if case .perform(.delete(let count)) = $0 { count } else { nil } }
    }

    var failedRetractions: [RetractionProblem] {
        effects.compactMap { if case .retractionFailed(_, let problem) = $0 { problem } else { nil } }
    }
}

extension TextField {
    /// A field of an input method.
    static func entry(
        _ text: String? = "", id: String = "entry", visit: UInt64 = 1, cursor: Int? = nil,
        purpose: Purpose = .text, isSensitive: Bool = false, place: CursorPlace? = CursorPlace(x: 0, y: 0),
        abilities: Abilities = [.liveText, .deletion], commitLimit: Int = TypingLimits.commitBytes
    ) -> TextField {
        TextField(
            id: id, visit: visit, purpose: purpose, isSensitive: isSensitive,
            surrounding: text.map { SurroundingText($0, cursor: cursor ?? $0.unicodeScalars.count) },
            place: place, abilities: abilities, commitLimit: commitLimit)
    }

    static let terminal = TextField.entry(nil, purpose: .terminal, abilities: [.liveText])
}
