import DBus
import DictationInterface

/// What the service wants to know of the user.
public struct PermissionQuestion: Hashable, Sendable {
    public var application: Application
    public var resources: [Resource]
    /// The question in few words, made by the service and fit to be shown as it is.
    public var title: String
    /// Who asks, and for what.
    public var subtitle: String
    /// What that means; may be empty.
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

/// What the user says to a ``PermissionQuestion``.
public enum PermissionAnswer: String, Hashable, Sendable, CaseIterable {
    case allow
    case deny
    /// For the connection that asks, or its lingering session.
    case allowOnce = "allow-once"
}
