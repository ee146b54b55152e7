/// A block on its way to its text.
struct Commit: Hashable, Sendable {
    var block: Block
    /// Who waits for the text; nil for an automatic commit or when the caller has gone.
    var waiter: Waiter?
    var isAutomatic: Bool
}

/// A call that is answered later, and whose it is.
struct Waiter: Hashable, Sendable {
    var call: CallID
    var client: Client
}
