import DBus
import DictationInterface

// For settings panels. Refused to programs in a sandbox.

extension DictationClient {
    /// Every application with a stored decision of this user.
    public func permissions() async throws(DictationError) -> [ApplicationPermission] {
        try await calling { try await permissionsProxy.list() }.compactMap(ApplicationPermission.init)
    }

    /// Timeout while the user confirms.
    private static let timeout = Duration.seconds(150)

    /// Stores a decision. On the system bus polkit asks the user to confirm a grant. It is on the disk when this
    /// returns, and takes effect at once, also for running sessions.
    public func setPermission(
        _ status: PermissionStatus, for resource: Resource, of application: Application
    ) async throws(DictationError) {
        try await calling {
            try await permissionsProxy.set(
                client: application.details, resource: BusText(resource.rawValue),
                status: BusText(status.rawValue),
                timeout: Self.timeout)
        }
    }

    /// Deletes the decisions about an application.
    public func forgetPermissions(of application: Application) async throws(DictationError) {
        try await calling { try await permissionsProxy.forget(client: application.details) }
    }

    /// The log of decisions, the latest first.
    /// - Parameter limit: from 1 to 1000.
    public func permissionLog(limit: UInt32) async throws(DictationError) -> [PermissionDecision] {
        try await calling { try await permissionsProxy.log(limit: limit) }
            .compactMap(PermissionDecision.init)
    }

    private var permissionsProxy: DictationPermissionsProxy {
        DictationPermissionsProxy(
            connection: proxy.connection, destination: proxy.destination, path: proxy.path,
            flags: .interactiveAuthorization)
    }
}
