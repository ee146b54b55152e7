/// A resource that needs permission.
public enum Resource: String, Hashable, Sendable, CaseIterable {
    case microphone
    case speech
    /// Typing into windows.
    case typing

    /// What dictation needs.
    public static let dictation: [Resource] = [.microphone, .speech]
}

public enum PermissionStatus: String, Hashable, Sendable, CaseIterable {
    case notDetermined = "not-determined"
    case granted
    case denied
    /// The administrator decided.
    case restricted
}

/// The permissions of one identity.
public struct Permission: Hashable, Sendable {
    public var microphone: PermissionStatus
    public var speech: PermissionStatus
    public var typing: PermissionStatus

    public init(
        microphone: PermissionStatus, speech: PermissionStatus, typing: PermissionStatus = .notDetermined
    ) {
        self.microphone = microphone
        self.speech = speech
        self.typing = typing
    }

    /// To dictate.
    public static let granted = Permission(microphone: .granted, speech: .granted)
    public static let restricted = Permission(
        microphone: .restricted, speech: .restricted, typing: .restricted)
    public static let notDetermined = Permission(microphone: .notDetermined, speech: .notDetermined)

    public subscript(resource: Resource) -> PermissionStatus {
        get {
            switch resource {
            case .microphone: microphone
            case .speech: speech
            case .typing: typing
            }
        }
        set {
            switch resource {
            case .microphone: microphone = newValue
            case .speech: speech = newValue
            case .typing: typing = newValue
            }
        }
    }

    /// Grants those of `resources` that are not determined.
    public func allowing(_ resources: Set<Resource>) -> Permission {
        var permission = self
        for resource in resources where permission[resource] == .notDetermined {
            permission[resource] = .granted
        }
        return permission
    }

    /// After this decision, the resources whose permission for one connection stays valid: those not determined. None
    /// after a reset of all.
    public var leftToAllowOnce: Set<Resource> {
        Resource.dictation.allSatisfy { self[$0] == .notDetermined }
            ? [] : Set(Resource.allCases.filter { self[$0] == .notDetermined })
    }

    public var isReady: Bool { microphone == .granted && speech == .granted }

    /// Why not all of `resources` are granted; nil if they are.
    public func refusal(of resources: [Resource]) -> Refusal? {
        let statuses = resources.map { self[$0] }
        if statuses.contains(.restricted) {
            return Refusal(.permissionDenied, "The administrator does not allow this application to dictate.")
        }
        if statuses.contains(.denied) {
            return Refusal(
                .permissionDenied,
                "The user does not allow this application to dictate; the user can change that with "
                    + "'dictation-cli permissions'.")
        }
        if statuses.contains(.notDetermined) {
            return Refusal(
                .permissionRequired, "The user has not been asked yet: call RequestPermission first.")
        }
        return nil
    }
}
