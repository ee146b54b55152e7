public import DictationCore

/// What is stored of one application.
public struct PermissionRecord: Hashable, Sendable {
    public var identity: Identity
    public var permission: Permission
    /// When it last dictated, in seconds since 1970; nil if it never did.
    public var lastUsed: Int64?

    public init(identity: Identity, permission: Permission, lastUsed: Int64? = nil) {
        self.identity = identity
        self.permission = permission
        self.lastUsed = lastUsed
    }
}

/// One line of the audit trail: who decided what about whom.
public struct PermissionDecision: Hashable, Sendable {
    public var identity: Identity
    public var resource: Resource
    /// `notDetermined` if the application was forgotten.
    public var status: PermissionStatus
    /// Through what the user decided.
    public var prompter: String
    /// In seconds since 1970.
    public var time: Int64

    public init(
        identity: Identity, resource: Resource, status: PermissionStatus, prompter: String, time: Int64
    ) {
        self.identity = identity
        self.resource = resource
        self.status = status
        self.prompter = prompter
        self.time = time
    }
}
