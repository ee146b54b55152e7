import Glibc

/// Why a client could not be identified.
public struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable {
        /// The process has ended, or is not visible to this process.
        case gone
        /// The bus's reply has changed since it was first asked.
        case disconnected
        /// The process belongs to another user, or has changed to another user.
        case foreign
        /// A file about the process could not be read.
        case unreadable
        /// A file about the process does not have the format of the kernel, Flatpak or snapd.
        case malformed
        /// The running program is not the file at its path.
        case replaced
    }

    public let kind: Kind
    /// What was read: a file below `/proc/PID`, or a system call.
    public let subject: String
    /// The `errno`; 0 if there was none.
    public let code: Int32

    init(_ kind: Kind, _ subject: String, code: Int32 = 0) {
        self.kind = kind
        self.subject = subject
        self.code = code
    }

    /// The error for the system call that has just failed on this thread.
    static func last(_ subject: String) -> IdentityError {
        let code = errno
        return IdentityError(code == ESRCH || code == ENOENT ? .gone : .unreadable, subject, code: code)
    }

    /// This process lacks descriptors, memory or threads, which may be over soon.
    public var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(code) }

    public var description: String {
        code == 0 ? "\(subject): \(kind)" : "\(subject): \(kind) (\(String(cString: strerror(code))))"
    }
}
