import CLinux
import Glibc

/// A file descriptor that is closed when nobody refers to it any more.
///
/// It can be part of a value that is copied and sent between threads; all copies share the one descriptor.
public final class Descriptor: Sendable {
    /// The number, valid as long as this object lives.
    public let rawValue: Int32

    /// Takes over an open descriptor: nobody else may close it from now on.
    public init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        close(rawValue)
    }

    /// A new descriptor of the same open file, closed on exec.
    public func duplicate() throws(EventLoopError) -> Descriptor {
        try Descriptor(duplicating: rawValue)
    }

    /// A descriptor of its own, closed on exec, for the file that `borrowed` refers to.
    public convenience init(duplicating borrowed: Int32) throws(EventLoopError) {
        self.init(owning: try Self.checked("fcntl", fcntl(borrowed, F_DUPFD_CLOEXEC, 0)))
    }

    static func opened(_ call: String, _ result: Int32) throws(EventLoopError) -> Descriptor {
        Descriptor(owning: try checked(call, result))
    }

    private static func checked(_ call: String, _ result: Int32) throws(EventLoopError) -> Int32 {
        if result < 0 { throw .last(call) }
        return result
    }

    /// The two ends of a new pipe, closed on exec.
    public static func pipe() throws(EventLoopError) -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [-1, -1]
        if dictation_linux_pipe(&ends) != 0 { throw .last("pipe2") }
        return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }
}

extension Descriptor: Hashable {
    public static func == (one: Descriptor, other: Descriptor) -> Bool {
        one === other
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue)
    }
}

extension Descriptor: CustomStringConvertible {
    public var description: String { "descriptor \(rawValue)" }
}
