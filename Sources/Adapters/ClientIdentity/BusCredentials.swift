public import EventLoop

/// What the bus says of a connection: the answer to `GetConnectionCredentials`.
public struct BusCredentials: Sendable {
    /// `UnixUserID`. The kernel vouches for it.
    public var uid: UInt32
    /// `ProcessID`: who connected. That process may have gone since, and its number be another's.
    public var pid: UInt32
    /// `ProcessFD`, a pidfd taken when the connection was made. Buses older than dbus 1.15.8 give none.
    public var process: Descriptor?

    public init(uid: UInt32, pid: UInt32, process: Descriptor? = nil) {
        self.uid = uid
        self.pid = pid
        self.process = process
    }
}
