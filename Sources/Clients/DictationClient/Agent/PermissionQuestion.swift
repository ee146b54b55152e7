import DBus
import DictationInterface

/// A question to the user.
public struct PermissionQuestion: Hashable, Sendable {
    public var application: Application
    public var resources: [Resource]
    /// The question in a few words. Made by the service and safe to show unchanged.
    public var title: String
    /// The application and what it wants.
    public var subtitle: String
    /// An explanation; may be empty.
    public var body: String

    init(_ application: Application, _ resources: [BusText], _ details: [BusText: Value]) {
        self.application = application
        self.resources = resources.map { Resource(rawValue: $0.string) }
        func text(_ key: BusText) -> String { details[key].flatMap { String($0) } ?? "" }
        title = text(PromptKey.title)
        subtitle = text(PromptKey.subtitle)
        body = text(PromptKey.body)
    }
}

/// The user's answer to a ``PermissionQuestion``.
public enum PermissionAnswer: String, Hashable, Sendable, CaseIterable {
    case allow
    case deny
    /// For the connection that asks, or its lingering session.
    case allowOnce = "allow-once"
}
