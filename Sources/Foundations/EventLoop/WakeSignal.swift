import CLinux
import Glibc

/// A thread waits on it until another sends it. It remembers that it was sent, not how often.
///
/// It is a descriptor because a condition variable needs a stable address, which a Swift class does not guarantee for
/// its fields.
public final class WakeSignal: Sendable {
    private let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    public init() {}

    deinit { Glibc.close(descriptor) }

    public func send() {
        var one: UInt64 = 1
        write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Returns after ``send()``, after the timeout, or (rarely) spuriously.
    public func wait(within seconds: Double = .infinity) {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = seconds.isFinite ? Int32(clamping: Int64((seconds * 1000).rounded(.up))) : -1
        if Glibc.poll(&poll, 1, milliseconds) > 0 { clear() }
    }

    /// True if the other descriptor can be read or is at its end; false after ``send()``.
    public func waitForInput(on other: Int32) -> Bool {
        var polls = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        guard Glibc.poll(&polls, 2, -1) > 0 else { return false }
        guard polls[0].revents == 0 else {
            clear()
            return false
        }
        return true
    }

    private func clear() {
        var count: UInt64 = 0
        read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
