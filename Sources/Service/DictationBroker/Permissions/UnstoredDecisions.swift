import DictationBus
import DictationCore

/// Decisions that take permission away and could not be stored. They hold until the service ends.
struct UnstoredDecisions: Sendable {
    private var decisions: [UInt32: [Identity: [Resource: PermissionStatus]]] = [:]

    /// Applications of one user. More than a user decides about while the disk is full.
    static let limit = 256

    /// - Returns: false if there are too many.
    mutating func insert(
        _ status: PermissionStatus, for resources: [Resource], of identity: Identity
    ) -> Bool {
        let applications = decisions[identity.uid] ?? [:]
        guard applications[identity] != nil || applications.count < Self.limit else { return false }
        for resource in resources {
            decisions[identity.uid, default: [:]][identity, default: [:]][resource] = status
        }
        return true
    }

    /// Another decision about these was stored.
    mutating func remove(_ resources: [Resource], of identity: Identity) {
        guard var applications = decisions[identity.uid] else { return }
        for resource in resources { applications[identity]?[resource] = nil }
        if applications[identity]?.isEmpty == true { applications[identity] = nil }
        decisions[identity.uid] = applications.isEmpty ? nil : applications
    }

    func permission(of identity: Identity, _ stored: Permission) -> Permission {
        var permission = stored
        for (resource, status) in decisions[identity.uid]?[identity] ?? [:] { permission[resource] = status }
        return permission
    }

    func identities(ofUser uid: UInt32) -> [Identity] { decisions[uid].map { Array($0.keys) } ?? [] }
}
