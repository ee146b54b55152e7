import CLinux
import Glibc

/// A thread waits for a descriptor's input until another thread sends the signal. It remembers that it was sent, not how often.
public final class InputSignal: Sendable {
    private let event: Descriptor

    public init() throws(EventLoopError) {
        event = try .opened("eventfd", eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
    }

    public func send() {
        eventfd_write(event.rawValue, 1)
    }

    /// Returns after ``send()``, or (rarely) spuriously.
    public func wait() {
        var poll = pollfd(fd: event.rawValue, events: Int16(POLLIN), revents: 0)
        if Glibc.poll(&poll, 1, -1) > 0 { clear() }
    }

    /// True if the other descriptor can be read or is at its end; false after ``send()``.
    public func waitForInput(on other: Int32) -> Bool {
        var polls = [
            pollfd(fd: event.rawValue, events: Int16(POLLIN), revents: 0),
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
        var count: eventfd_t = 0
        eventfd_read(event.rawValue, &count)
    }
}
