public import DBus
internal import EventLoop

/// Sessions of users who are at the machine itself, not elsewhere on a network, as logind tells.
public struct LocalSessions: Sendable {
    private let connection: Connection

    /// - Parameter connection: To the bus that logind is on.
    public init(on connection: Connection) {
        self.connection = connection
    }

    /// Whether a user has one, be it in front or in the background.
    public func exist(ofUser uid: UInt32) async throws -> Bool {
        try await LoginManager(connection: connection, timeout: .seconds(5)).hasLocalSession(uid)
    }
}
