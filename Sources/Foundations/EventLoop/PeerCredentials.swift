import Glibc

/// `struct ucred` of unix(7): the process that connected to a Unix socket.
public struct PeerCredentials: Sendable {
    public var pid: Int32 = 0
    public var uid: UInt32 = 0
    public var gid: UInt32 = 0

    /// Of the other end of a connected socket; nil if the kernel does not know it.
    public init?(of socket: Int32) {
        var size = socklen_t(MemoryLayout<PeerCredentials>.size)
        guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &self, &size) == 0 else { return nil }
    }
}
