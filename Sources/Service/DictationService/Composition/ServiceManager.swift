import Glibc

/// Tells the service manager how things stand, by the protocol of sd_notify(3): one datagram to the socket named in
/// `NOTIFY_SOCKET`, absent where nobody asked.
struct ServiceManager: Sendable {
    enum State: String {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        case alive = "WATCHDOG=1"
        /// It was stopping, and is needed once more: it is given another minute, as often as it says so.
        case stillNeeded = "EXTEND_TIMEOUT_USEC=60000000"
    }

    /// A path, or, after an `@`, a name in the abstract name space.
    let address: String?

    init(environment: [String: String]) {
        address = environment["NOTIFY_SOCKET"]
    }

    /// Nobody waits for the answer, and a manager that has gone is no trouble of ours: there is nothing to do about
    /// a failure.
    func notify(_ state: State) {
        guard let address, let first = address.utf8.first else { return }
        var socketAddress = sockaddr_un()
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: socketAddress.sun_path)
        guard address.utf8.count < capacity else { return }
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { path in
            path.copyBytes(from: address.utf8)
            if first == UInt8(ascii: "@") { path[0] = 0 }
        }
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + address.utf8.count } ?? 0
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let message = Array(state.rawValue.utf8)
        withUnsafePointer(to: &socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(
                    descriptor, message, message.count, Int32(MSG_NOSIGNAL), address, socklen_t(length))
            }
        }
    }
}
