internal import EventLoop
internal import Glibc

/// A connection to a socket of the desktop, for a thread of its own. Nothing blocks longer than until the deadline.
final class LocalSocket {
    private let descriptor: Descriptor
    private let deadline: ContinuousClock.Instant

    /// - Parameters:
    ///   - path: the socket's file.
    ///   - isAbstract: it is a name of the kernel, without a file. Every user can take such a name, so the socket must be of this
    ///     user or of root.
    init(
        _ path: String, isAbstract: Bool = false, deadline: ContinuousClock.Instant
    ) throws(LayoutError) {
        self.deadline = deadline
        let number = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw Self.failure("socket") }
        descriptor = Descriptor(owning: number)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = (isAbstract ? [0] : []) + Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .failed("the path \(path) is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // The name of an abstract socket has no end but that of the address.
        let fixed = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        let length = isAbstract ? fixed + bytes.count : MemoryLayout<sockaddr_un>.size
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(length)) == 0
            }
        }
        guard isConnected else { throw Self.failure("\(path): connect") }
        guard isAbstract else { return }
        guard let peer = PeerCredentials(of: number), peer.uid == getuid() || peer.uid == 0 else {
            throw .failed("\(path) belongs to another user")
        }
    }

    private static func failure(_ call: String) -> LayoutError {
        .failed("\(call): \(String(cString: strerror(errno)))")
    }

    func write(_ bytes: [UInt8]) throws(LayoutError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor.rawValue, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else {
                try retry(after: count, POLLOUT)
            }
        }
    }

    /// Exactly this many bytes.
    func read(_ count: Int) throws(LayoutError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor.rawValue, $0.baseAddress?.advanced(by: filled), $0.count - filled)
            }
            if count > 0 {
                filled += count
            } else if count == 0 {
                throw .failed("the desktop has closed the connection")
            } else {
                try retry(after: count, POLLIN)
            }
        }
        return bytes
    }

    /// All until the other side closes the connection.
    func readToEnd(atMost limit: Int) throws(LayoutError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = Glibc.read(descriptor.rawValue, &chunk, chunk.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                try retry(after: count, POLLIN)
                continue
            }
            bytes += chunk.prefix(count)
            guard bytes.count <= limit else { throw .failed("the desktop's answer is too long") }
        }
    }

    /// Waits until a call that would have blocked can go on.
    private func retry(after result: Int, _ events: Int32) throws(LayoutError) {
        guard result < 0, errno == EAGAIN || errno == EINTR else {
            throw Self.failure("the desktop's socket")
        }
        let rest = deadline - ContinuousClock.now
        let milliseconds =
            rest.components.seconds * 1000 + rest.components.attoseconds / 1_000_000_000_000_000
        guard milliseconds > 0 else { throw .failed("the desktop did not answer in time") }
        var poll = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
        _ = Glibc.poll(&poll, 1, Int32(clamping: milliseconds))
    }
}
