import CLinux
import EventLoop
import Glibc

/// A process held by a pidfd, so that reuse of its number is noticed.
public struct HeldProcess: Sendable {
    public let pid: Int32
    private let pidfd: Descriptor

    /// Holds the process that has this number now.
    public init(pid: UInt32) throws(IdentityError) {
        guard let pid = Int32(exactly: pid), pid > 0 else { throw IdentityError(.gone, "pid \(pid)") }
        let opened = pidfd_open(pid, 0)
        guard opened >= 0 else { throw .last("pidfd_open") }
        self.pid = pid
        pidfd = Descriptor(owning: opened)
    }

    /// Holds the process of a pidfd.
    /// - Parameter proc: the path of the `/proc` that has the process's number.
    init(pidfd: Descriptor, proc: Folder) throws(IdentityError) {
        let name = "self/fdinfo/\(pidfd.rawValue)"
        let lines = try (proc.contents(of: name, limit: 4096) ?? []).split(separator: UInt8(ascii: "\n"))
        let line = lines.first { $0.starts(with: "Pid:\t".utf8) }
        // 0 is a process that is not visible here; -1 is one that has ended.
        guard let line, let pid = Int32(String(decoding: line.dropFirst(5), as: UTF8.self)) else {
            throw IdentityError(.malformed, name)
        }
        guard pid > 0 else { throw IdentityError(.gone, name) }
        self.pid = pid
        self.pidfd = pidfd
    }

    /// Whether it still runs. If so, everything read by its number so far belongs to it.
    public var isAlive: Bool {
        var poll = pollfd(fd: pidfd.rawValue, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) == 0
    }

    func checkAlive() throws(IdentityError) {
        guard isAlive else { throw IdentityError(.gone, "pidfd") }
    }
}
