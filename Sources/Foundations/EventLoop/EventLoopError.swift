import Glibc

/// A failed system call.
public struct EventLoopError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the system call: `epoll_ctl`.
    public let call: String
    /// The `errno`.
    public let code: Int32

    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The error of the system call that has just failed on this thread.
    static func last(_ call: String) -> EventLoopError {
        EventLoopError(call: call, code: errno)
    }

    public var description: String {
        "\(call): \(String(cString: strerror(code)))"
    }
}
