/// What a user chose with SelectRoute: to be stored, because it holds until the user chooses again.
public struct RouteChoices: Hashable, Sendable {
    /// Nil follows the default.
    public var selected: NodeName?
    /// The microphones that were chosen, the latest last; at most ``limit``. What is known of one that is absent is
    /// here.
    public var chosen: [Source]

    /// More than anybody chooses between.
    public static let limit = 16

    public init(selected: NodeName? = nil, chosen: [Source] = []) {
        self.selected = selected
        self.chosen = chosen
    }
}
