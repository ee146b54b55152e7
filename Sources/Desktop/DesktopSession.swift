public import EventLoop

/// What a user's desktop session lends to the service. Where the service runs in that session itself, it is
/// ``LocalDesktopSession``; where one service serves all users, an agent in each session answers over the bus.
public protocol DesktopSession: Sendable {
    /// A new connection to the user's audio server, not yet spoken on.
    func openPipeWireRemote() async throws -> Descriptor
}
