import CLinux
import EventLoop
import Glibc

/// A blocking queue with one reading thread and any number of writing threads.
final class Mailbox<Element: Sendable>: Sendable {
    private let elements = Lock<[Element]>([])
    private let bell = WakeSignal()

    func put(_ element: Element) {
        elements.withLock { $0.append(element) }
        bell.ring()
    }

    /// Waits for an element; nil after the timeout.
    func take(within seconds: Double) -> [Element]? {
        bell.wait(within: seconds)
        let taken = elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
        return taken.isEmpty ? nil : taken
    }
}

/// A thread waits on it until another signals. Signals are remembered, not counted.
///
/// It is a descriptor because a condition variable needs a stable address, which a Swift class does not guarantee for
/// its fields.
final class WakeSignal: Sendable {
    private let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    deinit { Glibc.close(descriptor) }

    func ring() {
        var one: UInt64 = 1
        write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Returns after a signal, after the timeout, or (rarely) spuriously.
    func wait(within seconds: Double = .infinity) {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = seconds.isFinite ? Int32(clamping: Int64((seconds * 1000).rounded(.up))) : -1
        if Glibc.poll(&poll, 1, milliseconds) > 0 { clear() }
    }

    /// True if the other descriptor can be read or is at its end; false after a signal.
    func waitForInput(on other: Int32) -> Bool {
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
        var rings: UInt64 = 0
        read(descriptor, &rings, MemoryLayout<UInt64>.size)
    }
}
