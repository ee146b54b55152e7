/// What a ``Typist`` is told.
public enum TypingEvent: Hashable, Sendable {
    /// A dictation begins in the present field, with this block.
    case begin(block: UInt64)
    /// The field that has the focus; nil where there is none.
    case field(TextField?)
    /// The whole text of a block so far.
    case partial(block: UInt64, text: String)
    /// The text of a finished block, and whether it has a capital only because it begins.
    case final(block: UInt64, text: String, hasInitialCapital: Bool)
    /// The user took back the end of a finished block, from this Unicode scalar on.
    case retracted(block: UInt64, offset: Int)
    /// This block was discarded.
    case cancelled(block: UInt64)
    /// The dictation is over.
    case end
    /// The time of ``TypingEffect/wait(token:_:)`` is over.
    case elapsed(token: UInt64)
    /// What became of a commit, from a route that reports it.
    case committed(token: UInt64, Arrival)
    case style(TypingStyle)
}

/// What became of a commit.
public enum Arrival: Hashable, Sendable {
    /// It was seen in the field.
    case arrived
    /// It was typed, and whether it arrived cannot be seen.
    case unknown
    /// It was not typed.
    case refused
}

/// What a ``Typist`` wants done, in this order.
public enum TypingEffect: Hashable, Sendable {
    /// For the route. There is at most one commit in the effects of one event.
    case perform(TypingAction)
    /// Tell ``TypingEvent/elapsed(token:)`` after this time.
    case wait(token: UInt64, Duration)
    /// What became of a block. Told again when that changes.
    case outcome(TypingOutcome)
    /// Text that was taken back was not deleted.
    case retractionFailed(block: UInt64, RetractionProblem)
    /// Commit the current block: its words belong to the field before this one.
    case split
}

/// What a route does.
public enum TypingAction: Hashable, Sendable {
    /// Show live text, of at most ``TypingLimits/liveBytes``, instead of what is shown.
    case show(String)
    /// Show no live text.
    case clear
    /// Type text, of at most the field's ``TextField/commitLimit``.
    case commit(String, token: UInt64)
    /// Delete so many Unicode scalars before the cursor. They are ASCII.
    case delete(Int)
}

public enum RetractionProblem: Hashable, Sendable {
    /// The text is not before the cursor, or cannot be deleted there.
    case notHere
    /// The field did not show that the text was deleted.
    case unseen
}

/// What became of a block's text.
public struct TypingOutcome: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// It stands in the field.
        case arrived
        /// It was typed. Whether it arrived cannot be seen.
        case sent
        /// It was not typed, or not all of it.
        case kept(Reason)
        /// The user took it back.
        case retracted
    }

    public enum Reason: Hashable, Sendable {
        case password
        case noField
        /// Another field has the focus.
        case left
        /// The route could not type it.
        case refused
    }

    /// Differs for all blocks of a ``Typist``; blocks of later dictations have the same numbers.
    public var id: UInt64
    public var block: UInt64
    public var text: String
    public var state: State

    public init(id: UInt64, block: UInt64, text: String, state: State) {
        self.id = id
        self.block = block
        self.text = text
        self.state = state
    }
}

/// How a ``Typist`` types.
public struct TypingStyle: Hashable, Sendable {
    /// Show live text in the field.
    public var showsLiveText: Bool
    /// The first letter may be changed to fit the text before the cursor.
    public var fitsCapitals: Bool
    /// A BCP 47 tag; empty is English.
    public var language: String
    /// Live text has the capital of a block's beginning.
    public var isFormatted: Bool

    public init(
        showsLiveText: Bool = true, fitsCapitals: Bool = true, language: String = "",
        isFormatted: Bool = false
    ) {
        self.showsLiveText = showsLiveText
        self.fitsCapitals = fitsCapitals
        self.language = language
        self.isFormatted = isFormatted
    }
}
