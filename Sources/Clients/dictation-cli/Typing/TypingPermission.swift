import DBus
import DictationClient
import DictationInterface
import EventLoop

/// Which connections may type for their applications: the dictation service asks the user and stores the answer.
@EventLoopActor
final class TypingPermission {
    private let callers: CallerIdentity
    private let busOptions: BusOptions
    private var client: DictationClient?
    /// Connections that the user has allowed for one time.
    private var allowedOnce: Set<BusName> = []

    init(_ callers: CallerIdentity, _ busOptions: BusOptions) {
        self.callers = callers
        self.busOptions = busOptions
    }

    func forget(_ name: BusName) { allowedOnce.remove(name) }

    /// The present status, without asking.
    func status(of name: BusName) async throws -> PermissionStatus {
        let application = try await callers.application(behind: name)
        let status = try await service().typingPermission(of: application)
        return status == .notDetermined && allowedOnce.contains(name) ? .granted : status
    }

    /// Asks the user if there is no decision.
    func request(for name: BusName) async throws -> PermissionStatus {
        let status = try await status(of: name)
        guard status == .notDetermined else { return status }
        let application = try await callers.application(behind: name)
        let answer = try await service().requestTypingPermission(for: application)
        if answer.isForOneTime, callers.present.contains(name) { allowedOnce.insert(name) }
        return answer.status
    }

    /// - Throws: why a connection may not type.
    func require(for name: BusName) async throws {
        switch try await status(of: name) {
        case .granted: break
        case .notDetermined:
            throw DBusError(
                DictationInterface.errorName(.permissionRequired),
                "The user has not been asked yet whether this program may type: call RequestPermission first."
            )
        case .restricted:
            throw DBusError(
                DictationInterface.errorName(.permissionDenied),
                "The administrator does not allow this application to type.")
        default:
            throw DBusError(
                DictationInterface.errorName(.permissionDenied),
                "The user does not allow this application to type; the user can change that with "
                    + "'dictation-cli permissions'.")
        }
    }

    private func service() async throws -> DictationClient {
        if let client { return client }
        let connected = try await busOptions.connect()
        client = client ?? connected
        return client ?? connected
    }
}
