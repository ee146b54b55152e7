/// An event for a ``Typist``.
public enum TypingEvent: Hashable, Sendable {
    /// A dictation begins in the present field, with this block.
    case begin(block: UInt64)
    /// A dictation returns after a failure of the service. The field of this block is not known; the next blocks begin as usual.
    case restored(block: UInt64)
    /// A program begins with the present field: all its text until the end belongs there. Its blocks count from 1.
    case beginField
    /// The field with the focus; nil if there is none.
    case field(TextField?)
    /// The whole text of a block so far.
    case partial(block: UInt64, text: String)
    /// The text of a finished block, and whether it has a capital only because it begins.
    case final(block: UInt64, text: String, hasInitialCapital: Bool)
    /// A block is finished that was spoken while a secret field had the focus. Nobody gets its text.
    case withheld(block: UInt64)
    /// The user took back the end of a finished block, from this Unicode scalar on.
    case retracted(block: UInt64, offset: Int)
    /// This block was discarded.
    case cancelled(block: UInt64)
    /// The dictation has ended. Text without a final text is kept.
    case end
    /// The time of ``TypingEffect/wait(token:_:)`` has elapsed.
    case elapsed(token: UInt64)
    /// The result of a commit, from a route that reports it.
    case committed(token: UInt64, Arrival)
    /// The route has failed: there is no field any more, and the commit in progress will not be reported.
    case lost
    case style(TypingStyle)
}

/// The result of a commit.
public enum Arrival: Hashable, Sendable {
    /// It was seen in the field.
    case arrived
    /// It was typed; whether it arrived is unknown.
    case unknown
    /// It was not typed.
    case refused
}

/// An effect of a ``Typist``, to be carried out in order.
public enum TypingEffect: Hashable, Sendable {
    /// An edit for the route. The effects of one event contain at most one commit.
    case perform(TypingAction)
    /// Send ``TypingEvent/elapsed(token:)`` after this time.
    case wait(token: UInt64, Duration)
    /// The outcome of a block. Sent again when it changes.
    case outcome(TypingOutcome)
    /// Text that was taken back was not deleted.
    case retractionFailed(block: UInt64, RetractionProblem)
    /// Commit the current block: its words belong to the field before this one.
    case split
}

/// An edit by a route.
public enum TypingAction: Hashable, Sendable {
    /// Show live text of at most ``TypingLimits/liveBytes`` instead of the present one.
    case show(String)
    /// Show no live text.
    case clear
    /// Type text, of at most the field's ``TextField/commitLimit``.
    case commit(String, token: UInt64)
    /// Delete this number of Unicode scalars before the cursor. They are ASCII.
    case delete(Int)
}

public enum RetractionProblem: Hashable, Sendable {
    /// The text is not before the cursor, or cannot be deleted there.
    case notHere
    /// The field did not report the deletion.
    case unseen
}

/// The outcome of a block's text.
public struct TypingOutcome: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        /// It is in the field.
        case arrived
        /// It was typed; whether it arrived is unknown.
        case sent
        /// The focus moved within ``TypingLimits/commitGap`` after it was typed, or the route was lost. It may have arrived
        /// or not.
        case doubtful
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
        /// The dictation ended before the text was final.
        case unfinished
        /// The service has failed since the text began.
        case restarted
    }

    /// Unique among all blocks of a ``Typist``, and those of the same dictation before it was restored. Blocks
    /// of later dictations have the same numbers.
    public var id: UInt64
    public var block: UInt64
    /// Empty if a secret field had the focus.
    public var text: String
    public var state: State

    public init(id: UInt64, block: UInt64, text: String, state: State) {
        self.id = id
        self.block = block
        self.text = text
        self.state = state
    }
}

/// The options of a ``Typist``.
public struct TypingStyle: Hashable, Sendable {
    /// Show live text in the field.
    public var showsLiveText: Bool
    /// Spaces are added where text needs them. If not, text is typed as it is.
    public var fitsText = true
    /// The first letter may be changed to fit the text before the cursor.
    public var fitsCapitals: Bool
    /// A BCP 47 tag; empty is English.
    public var language: String
    /// Whether live text begins with a capital only because the block begins.
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
