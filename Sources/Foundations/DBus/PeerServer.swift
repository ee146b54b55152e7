public import EventLoop

/// A socket at which other processes connect as peers. Each must prove its user (SASL EXTERNAL).
@EventLoopActor
public final class PeerServer {
    private let listener: ListeningSocket

    /// Listens. Everyone who can reach the path can connect: the folder decides who that is.
    /// - Parameters:
    ///   - path: of the socket. One that is left there is replaced.
    ///   - limits: of each connection.
    ///   - accept: gets each connection before anything is read from it. One that it does not keep is closed. What is known of
    ///     the other end then is ``PeerConnection/process``.
    public convenience init(
        at path: String, limits: PeerConnection.Limits,
        accept: @escaping @EventLoopActor (PeerConnection) -> Void
    ) throws(DBusError) {
        try self.init(at: path, limits: limits, mayRefuseDescriptors: true, accept: accept)
    }

    /// - Parameter mayRefuseDescriptors: false on a kernel that cannot.
    init(
        at path: String, limits: PeerConnection.Limits, mayRefuseDescriptors: Bool,
        accept: @escaping @EventLoopActor (PeerConnection) -> Void
    ) throws(DBusError) {
        let listener = try ListeningSocket(
            at: path, limits: limits, mayRefuseDescriptors: mayRefuseDescriptors)
        self.listener = listener
        try listener.start { [weak listener] in
            for transport in listener?.accept() ?? [] {
                // A connection that cannot be watched is closed.
                guard let peer = try? PeerConnection(accepted: transport, rate: limits.rate) else { continue }
                accept(peer)
            }
        }
    }

    /// Stops listening and removes the socket. Connections stay.
    public func stop() { listener.stop() }
}
