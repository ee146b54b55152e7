import CLinux
import Glibc

/// A file descriptor that is closed with its last copy. All copies share it.
public struct Descriptor: Sendable {
    private let file: File

    private final class File: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        deinit {
            close(descriptor)
        }
    }

    /// Takes ownership of an open descriptor.
    public init(owning rawValue: Int32) {
        file = File(rawValue)
    }

    /// A duplicate of `borrowed`, closed on exec.
    public init(duplicating borrowed: Int32) throws(EventLoopError) {
        self = try .opened("fcntl", fcntl(borrowed, F_DUPFD_CLOEXEC, 0))
    }

    /// The number. Valid while this or a copy exists.
    public var rawValue: Int32 { file.descriptor }

    /// A duplicate, closed on exec.
    public func duplicate() throws(EventLoopError) -> Descriptor {
        try Descriptor(duplicating: rawValue)
    }

    /// The number of a new descriptor of the same open file, closed on exec. The caller must close it.
    public func releasedDuplicate() throws(EventLoopError) -> Int32 {
        let number = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
        if number < 0 { throw .last("fcntl") }
        return number
    }

    /// The two ends of a new pipe, closed on exec.
    public static func pipe() throws(EventLoopError) -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [-1, -1]
        if dictation_linux_pipe(&ends) != 0 { throw .last("pipe2") }
        return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }

    /// An integer option of a socket, at the level SOL_SOCKET; nil if this is not a socket. Does not block, unlike fstat(2),
    /// whose file system may.
    public func socketOption(_ option: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(rawValue, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
    }

    /// Whether this process can certainly open this many descriptors: the highest numbers below its limit are free. The
    /// kernel gives the lowest free number, so they are free but in a shortage.
    public static func canOpen(_ count: Int) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        let end = Int32(clamping: limit.rlim_cur)
        let first = end - Int32(clamping: count)
        return first >= 0 && (first..<end).allSatisfy { fcntl($0, F_GETFD) < 0 }
    }

    static func opened(_ call: String, _ result: Int32) throws(EventLoopError) -> Descriptor {
        if result < 0 { throw .last(call) }
        return Descriptor(owning: result)
    }
}

extension Descriptor: Hashable {
    public static func == (one: Descriptor, other: Descriptor) -> Bool {
        one.file === other.file
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue)
    }
}

extension Descriptor: CustomStringConvertible {
    public var description: String { "descriptor \(rawValue)" }
}
