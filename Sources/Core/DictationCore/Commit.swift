/// A commit in progress.
struct Commit: Hashable, Sendable {
    var block: Block
    /// The call that gets the text; nil for an automatic commit or when the caller disconnected.
    var waiter: Waiter?
    var isAutomatic: Bool
}

/// A pending call and its caller.
struct Waiter: Hashable, Sendable {
    var call: CallID
    var client: Client
}
