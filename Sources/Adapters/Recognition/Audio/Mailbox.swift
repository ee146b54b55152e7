import EventLoop

/// A blocking queue with one reading thread and any number of writing threads.
final class Mailbox<Element: Sendable>: Sendable {
    private let elements = Lock<[Element]>([])
    private let wakeSignal = WakeSignal()

    func put(_ element: Element) {
        elements.withLock { $0.append(element) }
        wakeSignal.send()
    }

    /// Waits for an element; nil after the timeout.
    func take(within seconds: Double) -> [Element]? {
        wakeSignal.wait(within: seconds)
        let taken = elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
        return taken.isEmpty ? nil : taken
    }
}
