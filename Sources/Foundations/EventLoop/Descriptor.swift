import CLinux
import Glibc

/// A file descriptor that is closed with its last copy. All copies share it.
///
/// A *foreign* one was sent by another process. Closing it can block, so that happens on one of the ``ClosingThreads``, whichever
/// thread releases it.
public struct Descriptor: Sendable {
    private let file: File

    private final class File: Sendable {
        let descriptor: Int32
        let origin: Origin

        init(_ descriptor: Int32, _ origin: Origin) {
            self.descriptor = descriptor
            self.origin = origin
        }

        deinit {
            switch origin {
            case .own: close(descriptor)
            case .foreign(let sender, let kept):
                ClosingThreads.shared.perform(for: sender) { [descriptor] in
                    withExtendedLifetime(kept) { _ = close(descriptor) }
                }
            }
        }
    }

    private enum Origin: Sendable {
        case own
        /// With its sender, and what is kept until it is closed.
        case foreign(String?, (any Sendable)?)
    }

    private init(_ number: Int32, _ origin: Origin) {
        file = File(number, origin)
    }

    /// Takes ownership of an open descriptor that this process has made.
    public init(owning rawValue: Int32) {
        self.init(rawValue, .own)
    }

    /// Takes ownership of an open descriptor that another process has sent.
    /// - Parameters:
    ///   - sender: who has sent it; nil if that is not known.
    ///   - kept: released when it has been closed, such as a counter of open descriptors.
    public init(foreign rawValue: Int32, of sender: String? = nil, keeping kept: (any Sendable)? = nil) {
        self.init(rawValue, .foreign(sender, kept))
    }

    /// The number. Valid while this or a copy exists.
    public var rawValue: Int32 { file.descriptor }

    /// A duplicate, closed on exec. That of a foreign descriptor is foreign too.
    public func duplicate() throws(EventLoopError) -> Descriptor {
        Descriptor(try releasedDuplicate(), file.origin)
    }

    /// The number of a new descriptor of the same open file, closed on exec. The caller must close it, and not on an event loop
    /// if this one is foreign.
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
