internal import CLinux
internal import EventLoop
internal import Glibc

/// Bytes and descriptors that pass from one socket to another.
struct SocketMessage: Sendable {
    private var bytes: ArraySlice<UInt8> = []
    /// Sent together with the first byte.
    private(set) var descriptors: [Descriptor] = []

    /// The most bytes of one message. libpipewire handles so many in a few milliseconds.
    static let limit = 16_384

    init() {}

    /// Receives what has arrived, at most ``limit`` bytes. Nil if nothing has.
    init?(from socket: Descriptor) throws {
        var numbers = [Int32](repeating: -1, count: Int(DICTATION_LINUX_DESCRIPTOR_LIMIT))
        var count = 0
        var received = 0
        var failure: Int32 = 0
        bytes =
            [UInt8](unsafeUninitializedCapacity: Self.limit) { buffer, initialized in
                if let start = buffer.baseAddress {
                    received = dictation_linux_receive(socket.rawValue, start, buffer.count, &numbers, &count)
                    failure = errno
                }
                initialized = max(0, received)
            }[...]
        if received < 0, failure == EAGAIN { return nil }
        descriptors = numbers.prefix(count).map { Descriptor(foreign: $0) }
        guard received > 0 else { throw SocketEnd() }
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// Sends what the socket takes. The rest stays.
    mutating func send(to socket: Descriptor) throws {
        guard !isEmpty else { return }
        let numbers = descriptors.map(\.rawValue)
        let sent = bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.map {
                dictation_linux_send(socket.rawValue, $0, buffer.count, numbers, numbers.count)
            } ?? 0
        }
        if sent < 0, errno == EAGAIN { return }
        guard sent > 0 else { throw SocketEnd() }
        bytes.removeFirst(sent)
        descriptors = []
    }
}

/// A socket was closed, or failed.
struct SocketEnd: Error {}
