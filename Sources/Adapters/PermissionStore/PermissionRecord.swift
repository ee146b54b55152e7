public import DictationCore

/// The stored record of an application.
public struct PermissionRecord: Hashable, Sendable {
    public var identity: Identity
    public var permission: Permission
    /// Time of its last dictation, in seconds since 1970; nil if there was none.
    public var lastUsed: Int64?

    public init(identity: Identity, permission: Permission, lastUsed: Int64? = nil) {
        self.identity = identity
        self.permission = permission
        self.lastUsed = lastUsed
    }
}

/// A line of the audit log.
public struct PermissionDecision: Hashable, Sendable {
    public var identity: Identity
    public var resource: Resource
    /// `notDetermined` if the application was forgotten.
    public var status: PermissionStatus
    /// The prompter or settings program that the user used.
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
