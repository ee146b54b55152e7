package import EventLoop
import Glibc

/// Sends the service manager notifications by the protocol of sd_notify(3): one datagram to the socket named in
/// `NOTIFY_SOCKET`, if it is set.
package struct ServiceManager: Sendable {
    package enum State: String {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        case alive = "WATCHDOG=1"
        /// It was stopping and goes on: extends the timeout by a minute.
        case stillNeeded = "EXTEND_TIMEOUT_USEC=60000000"
    }

    /// A path, or after an `@` a name in the abstract namespace.
    package let address: String?
    /// How often the watchdog wants to be notified at least; nil if there is none.
    private let watchdogInterval: Duration?

    package init(environment: [String: String]) {
        address = environment["NOTIFY_SOCKET"]
        watchdogInterval = environment["WATCHDOG_USEC"].flatMap(Int64.init).flatMap {
            $0 > 0 ? .microseconds($0) : nil
        }
    }

    /// Notifies the watchdog at half its interval, from the loop, until the timer is cancelled.
    package func keepWatchdogQuiet() -> EventLoop.Timer? {
        watchdogInterval.map { interval in
            EventLoopActor.schedule(after: interval / 2, repeating: interval / 2) { notify(.alive) }
        }
    }

    /// Sends that the service is ready until the manager reads it: one that misses it would end the service.
    package func notifyReady() -> Task<Void, any Error> {
        Task { while !notify(.ready) { try await Task.sleep(for: .milliseconds(100)) } }
    }

    /// Does not wait. Errors are ignored: nothing can be done about a manager that is gone.
    /// - Returns: false if the manager's queue is full, because it does not read.
    @discardableResult
    package func notify(_ state: State) -> Bool {
        guard let address, let first = address.utf8.first else { return true }
        var socketAddress = sockaddr_un()
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: socketAddress.sun_path)
        guard address.utf8.count < capacity else { return true }
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { path in
            path.copyBytes(from: address.utf8)
            if first == UInt8(ascii: "@") { path[0] = 0 }
        }
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + address.utf8.count } ?? 0
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        let message = Array(state.rawValue.utf8)
        return withUnsafePointer(to: &socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                return sendto(descriptor, message, message.count, flags, address, socklen_t(length)) >= 0
                    || errno != EAGAIN
            }
        }
    }
}
