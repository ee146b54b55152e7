import Glibc

/// A system call that the kernel refused.
public struct EventLoopError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call, as its manual page is named: `epoll_ctl`.
    public let call: String
    /// The `errno` it left.
    public let code: Int32

    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The error of the call that has just failed on this thread.
    static func last(_ call: String) -> EventLoopError {
        EventLoopError(call: call, code: errno)
    }

    public var description: String {
        "\(call): \(String(cString: strerror(code)))"
    }
}
