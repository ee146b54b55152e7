/// A block that is not committed, or whose commit is not finished. The journal keeps it.
public struct UncommittedBlock: Hashable, Sendable {
    public var number: BlockNumber
    /// What the recogniser has finished, in order. It only grows.
    public var texts: [JournalText]
    /// Frames of its sound that were lost.
    public var droppedFrames: Int
    /// Nothing of it is kept: a secret field had the focus.
    public var isWithheld: Bool

    public init(
        number: BlockNumber, texts: [JournalText], droppedFrames: Int = 0, isWithheld: Bool = false
    ) {
        self.number = number
        self.isWithheld = isWithheld
        self.texts = texts
        self.droppedFrames = droppedFrames
    }
}

/// Recognised words as a block took them. Taking them again makes the same text.
public struct JournalText: Hashable, Sendable {
    public var segment: Segment
    /// The engine wrote capitals and punctuation.
    public var isPunctuated: Bool
    /// The last hypothesis of a segment that was lost: words without times.
    public var isLost: Bool
    /// The language that was heard, as the request has it; nil if the engine did not say.
    public var language: String?

    public init(
        _ segment: Segment, isPunctuated: Bool = false, isLost: Bool = false, language: String? = nil
    ) {
        self.language = language
        self.segment = segment
        self.isPunctuated = isPunctuated
        self.isLost = isLost
    }
}

extension DictationMachine {
    /// What must survive a crash: the session's blocks, the oldest first. Empty for a session with a file or pipe, without
    /// permission, and for one that is over.
    public func uncommitted(of id: SessionID) -> [UncommittedBlock] {
        index(of: id).map { sessions[$0].uncommitted } ?? []
    }
}
