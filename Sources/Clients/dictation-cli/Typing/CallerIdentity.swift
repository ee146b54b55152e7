import ClientIdentity
import DBus
import DictationClient
import DictationCore
import EventLoop
import Glibc

/// Identifies the applications behind connections of the session's bus, as the service does.
@EventLoopActor
final class CallerIdentity {
    private let connection: Connection
    private let resolver: IdentityResolver
    /// Of connections that have called and are still there.
    private var known: [BusName: Application] = [:]
    /// Connections that have called and are still there.
    private(set) var present: Set<BusName> = []

    init(_ connection: Connection) throws {
        self.connection = connection
        resolver = try IdentityResolver()
    }

    /// A connection has called.
    func enter(_ name: BusName) { present.insert(name) }

    /// A connection has left the bus.
    func forget(_ name: BusName) {
        present.remove(name)
        known[name] = nil
    }

    /// - Throws: `AccessDenied` if the application is not known.
    func application(behind name: BusName) async throws -> Application {
        if let application = known[name] { return application }
        let credentials = try await connection.credentials(of: name)
        guard credentials.uid == getuid(), let pid = credentials.pid else {
            throw DBusError.accessDenied("This service belongs to another user.")
        }
        let finding = await resolver.finding(
            BusCredentials(uid: credentials.uid, pid: pid, process: credentials.process)
        ) { [connection] in
            let again = try await connection.credentials(of: name)
            return (again.uid, again.pid ?? 0)
        }
        guard finding.identity.isKnown else {
            let why = finding.error.map { " \($0)" } ?? ""
            throw DBusError.accessDenied("This program could not be identified, so it may not type.\(why)")
        }
        let application = Application(
            kind: .init(rawValue: finding.identity.kind.rawValue), id: finding.identity.id.rawValue)
        if present.contains(name) { known[name] = application }
        return application
    }
}
