/// A user's choices with SelectRoute. They are stored.
public struct RouteChoices: Hashable, Sendable {
    /// Nil follows the default.
    public var selected: NodeName?
    /// The microphones that were chosen, the latest last; at most ``limit``. Holds their properties while they are
    /// absent.
    public var chosen: [Source]

    /// More microphones than a user has.
    public static let limit = 16

    public init(selected: NodeName? = nil, chosen: [Source] = []) {
        self.selected = selected
        self.chosen = chosen
    }
}
