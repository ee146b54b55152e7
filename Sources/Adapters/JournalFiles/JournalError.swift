internal import Glibc

/// Why a journal cannot be kept.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// For people.
    public let message: String

    init(_ message: String) { self.message = message }

    /// The error of the system call that has just failed on this thread.
    static func last(_ call: String) -> JournalError {
        JournalError("\(call): \(String(cString: strerror(errno)))")
    }

    public var description: String { message }
}
