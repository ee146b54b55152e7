/// What a session's decisions depend on besides the session. The machine changes it; sessions only read it.
struct SessionContext: Hashable, Sendable {
    var settings: Settings
    var world: World
    /// In the order of their last call of Subscribe.
    var subscriptions: [Subscription] = []
    /// Whether another program's call is going on.
    var isInCall = false
    /// Whether the bus takes messages more slowly than they are sent.
    var isCongested = false
    /// How long the computer has slept: ``Moment/elapsed`` minus ``Moment/awake``.
    var slept: Duration = .zero
}

/// A connection that called Subscribe.
struct Subscription: Hashable, Sendable {
    var client: Client
    var text: Bool
}
