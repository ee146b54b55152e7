/// A user's decision about an application.
public enum Decision: String, Hashable, Sendable, CaseIterable {
    case allow
    case deny
    /// For the connection that asked, or its lingering session.
    case allowOnce = "allow-once"
}
