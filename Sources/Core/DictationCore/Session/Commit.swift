/// A commit in progress.
struct Commit: Hashable, Sendable {
    /// How the recogniser's work for it ended. It is sent as soon as the session may send text.
    enum Outcome: Hashable, Sendable {
        case finished(FinishedBlock)
        /// A program of the user's has its text.
        case filtering(FinishedBlock)
        /// There was sound but no text.
        /// - Parameter isSent: the session sends this refusal as an Error anyway.
        case failed(Refusal, isSent: Bool)
    }

    var block: Block
    /// The call that gets the text; nil for an automatic commit, and when the caller disconnected or was refused.
    var waiter: Waiter?
    var isAutomatic: Bool
    /// The call was refused, because permission was lost.
    var wasRefused = false
    /// Nil while the recogniser works on it.
    var outcome: Outcome?

    var isFiltering: Bool { if case .filtering = outcome { true } else { false } }

    /// Does not wait for the user's program.
    mutating func useUnfilteredText() {
        if case .filtering(let block) = outcome { outcome = .finished(block) }
    }

    /// Takes back the last utterance of a finished block that was not sent yet.
    /// - Returns: whether there was text.
    mutating func takeBackUnsentText() -> Bool {
        // The text that the program has is no longer right.
        useUnfilteredText()
        guard case .finished(var block) = outcome, block.takeBack() else { return false }
        // The client gets the shorter text.
        _ = block.takeRetraction()
        outcome = .finished(block)
        return true
    }
}

/// A pending call and its caller.
struct Waiter: Hashable, Sendable {
    var call: CallID
    var client: Client
}
