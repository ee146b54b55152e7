import DictationCore

/// Decisions that take permission away and could not be stored. They hold until the service ends.
struct UnstoredDecisions: Sendable {
    private var decisions: [Identity: [Resource: PermissionStatus]] = [:]

    /// Applications of all users. More than a user decides about while the disk is full.
    private static let limit = 1024

    /// - Returns: false if there are too many.
    mutating func insert(
        _ status: PermissionStatus, for resources: [Resource], of identity: Identity
    ) -> Bool {
        guard decisions[identity] != nil || decisions.count < Self.limit else { return false }
        for resource in resources { decisions[identity, default: [:]][resource] = status }
        return true
    }

    /// Another decision about these was stored.
    mutating func remove(_ resources: [Resource], of identity: Identity) {
        for resource in resources { decisions[identity]?[resource] = nil }
        if decisions[identity]?.isEmpty == true { decisions[identity] = nil }
    }

    func permission(of identity: Identity, _ stored: Permission) -> Permission {
        var permission = stored
        for (resource, status) in decisions[identity] ?? [:] { permission[resource] = status }
        return permission
    }

    func identities(ofUser uid: UInt32) -> [Identity] { decisions.keys.filter { $0.uid == uid } }
}
