import DBus
import DictationInterface

/// An event of typing a session's text into windows.
public enum TypingEvent: Hashable, Sendable {
    /// The text is typed from now on, by this route. The message says what to do if no text field has the focus.
    case began(session: UInt64, route: String, message: String?)
    /// What became of a block's text. Reported again when it changes.
    case typed(TypedText)
    /// A text could not be taken back, or the connection to the desktop was lost.
    case failed(session: UInt64, message: String)
    /// No text of the session is typed any more. The last event, after the session's own.
    case ended(session: UInt64)

    init?(_ signal: DictationTypingSignal) {
        switch signal {
        case .began(let session, let route, let details):
            let message = details[TypingKey.message].flatMap { String($0) }
            self = .began(session: session, route: route, message: message)
        case .typed(let session, let block, let outcome, let text, let details):
            self = .typed(
                TypedText(
                    session: session, block: block, outcome: TypedOutcome(rawValue: outcome), text: text,
                    number: details[TypedKey.number].flatMap { UInt64($0) } ?? 0,
                    message: details[TypedKey.message].flatMap { String($0) },
                    isLast: details[TypedKey.last].flatMap { Bool($0) } ?? false))
        case .failed(let session, let message, _): self = .failed(session: session, message: message)
        case .ended(let session, _): self = .ended(session: session)
        case .released: return nil
        }
    }
}

/// What became of a block's text.
public struct TypedText: Hashable, Sendable {
    public var session: UInt64
    public var block: UInt64
    public var outcome: TypedOutcome
    public var text: String
    /// Names the text among those of its session.
    public var number: UInt64
    /// For people, in English, if it was not typed.
    public var message: String?
    /// The text will not be typed any more, unless it was.
    public var isLast: Bool
}
