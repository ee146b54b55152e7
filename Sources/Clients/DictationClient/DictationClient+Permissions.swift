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

    /// Whether an application may type, without asking.
    public func typingPermission(of application: Application) async throws(DictationError) -> PermissionStatus
    {
        let status = try await calling { try await permissionsProxy.check(client: application.details) }
        return status[BusText(Resource.typing.rawValue)].map(PermissionStatus.init) ?? .notDetermined
    }

    /// Asks the user whether an application may type, if there is no decision.
    /// - Returns: the status, and whether it is for one time: nothing is stored then.
    public func requestTypingPermission(
        for application: Application
    ) async throws(DictationError) -> (status: PermissionStatus, isForOneTime: Bool) {
        let answer = try await calling {
            try await permissionsProxy.request(
                client: application.details, resource: BusText(Resource.typing.rawValue),
                timeout: DictationInterface.permissionTimeout)
        }
        return (PermissionStatus(rawValue: answer.status), answer.once)
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
