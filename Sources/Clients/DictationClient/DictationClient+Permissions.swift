import DBus
import DictationInterface

// For settings panels. Refused to programs in a sandbox.

extension DictationClient {
    /// Every application about which this user has decided something.
    public func permissions() async throws(DictationError) -> [ApplicationPermission] {
        try await calling { try await permissionsProxy.list() }.compactMap(ApplicationPermission.init)
    }

    /// How long the user may take to confirm.
    private static let timeout = Duration.seconds(150)

    /// Decides; on the system bus polkit has the user confirm what is granted. It is on the disk when this returns, and holds at once, for running sessions too.
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

    /// Makes everything about an application undecided.
    public func forgetPermissions(of application: Application) async throws(DictationError) {
        try await calling { try await permissionsProxy.forget(client: application.details) }
    }

    /// How it was decided, the latest first.
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
