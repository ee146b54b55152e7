import Glibc

/// Why nothing certain can be said of a client.
public struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable {
        /// The process has ended, or is not where this process can see it.
        case gone
        /// The bus no longer says of the connection what it said before.
        case disconnected
        /// The process is, or has become, another user's.
        case foreign
        /// A file about the process cannot be read.
        case unreadable
        /// A file about the process is not what the kernel, Flatpak or snapd write.
        case malformed
        /// The running program is not the file its path names.
        case replaced
    }

    public let kind: Kind
    /// What was looked at: a file below `/proc/PID`, or a system call.
    public let subject: String
    /// The `errno` behind it; 0 where there was none.
    public let code: Int32

    init(_ kind: Kind, _ subject: String, code: Int32 = 0) {
        self.kind = kind
        self.subject = subject
        self.code = code
    }

    /// The doubt that the call which has just failed on this thread leaves.
    static func last(_ subject: String) -> IdentityError {
        let code = errno
        return IdentityError(code == ESRCH || code == ENOENT ? .gone : .unreadable, subject, code: code)
    }

    public var description: String {
        code == 0 ? "\(subject): \(kind)" : "\(subject): \(kind) (\(String(cString: strerror(code))))"
    }
}
