public import EventLoop

/// The bus's reply to `GetConnectionCredentials`.
public struct BusCredentials: Sendable {
    /// `UnixUserID`, which the bus has from the kernel.
    public var uid: UInt32
    /// `ProcessID` of the process that connected. It may have ended, and its number may be reused.
    public var pid: UInt32
    /// `ProcessFD`, a pidfd from the time of the connection. Buses older than dbus 1.15.8 do not have it, and during
    /// a shortage of descriptors it is not asked for.
    public var process: Descriptor?

    public init(uid: UInt32, pid: UInt32, process: Descriptor? = nil) {
        self.uid = uid
        self.pid = pid
        self.process = process
    }
}
