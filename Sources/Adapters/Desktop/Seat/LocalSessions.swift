public import DBus
internal import EventLoop

/// logind's sessions of users at this machine, not over a network.
public struct LocalSessions: Sendable {
    private let connection: Connection

    /// - Parameter connection: to the bus that logind is on.
    public init(on connection: Connection) {
        self.connection = connection
    }

    /// Whether a user has one, active or not.
    public func exist(ofUser uid: UInt32) async throws -> Bool {
        try await LoginManager(connection: connection, timeout: .seconds(5)).hasLocalSession(uid)
    }
}
