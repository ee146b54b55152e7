public import EventLoop

/// What the bus knows from the kernel about a connection's process.
public struct Credentials: Sendable {
    public let uid: UInt32
    /// This number may be reused by another process; `process` cannot be.
    public let pid: UInt32?
    public let groups: [UInt32]
    /// A pidfd, if the bus supports it and this process does not lack descriptors.
    public let process: Descriptor?
    /// In the format of the system's security module.
    public let securityLabel: String?

    init(uid: UInt32, pid: UInt32) {
        self.uid = uid
        self.pid = pid
        groups = []
        process = nil
        securityLabel = nil
    }

    init(_ entries: [BusText: Value]) throws(DBusError) {
        guard let uid = entries["UnixUserID"].flatMap({ UInt32($0) }) else {
            throw .failed("the bus does not know the user of the connection")
        }
        self.uid = uid
        pid = entries["ProcessID"].flatMap { UInt32($0) }
        groups = entries["UnixGroupIDs"].flatMap { [UInt32]($0) } ?? []
        process = entries["ProcessFD"].flatMap { value in
            if case .descriptor(let descriptor) = value { descriptor } else { nil }
        }
        securityLabel = entries["LinuxSecurityLabel"].flatMap { [UInt8]($0) }.map { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
