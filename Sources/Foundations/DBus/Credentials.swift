public import EventLoop

/// What the bus knows of a connection's process from the kernel.
public struct Credentials: Sendable {
    public let uid: UInt32
    /// May be another process's by the time it is looked at; `process` may not.
    public let pid: UInt32?
    public let groups: [UInt32]
    /// A pidfd, from buses that have it.
    public let process: Descriptor?
    /// As the security module of the system names it.
    public let securityLabel: String?

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
