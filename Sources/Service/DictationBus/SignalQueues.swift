package import DBus
package import EventLoop

/// The signals to each connection, in order. Those to one that may not be reading wait in its ``SignalQueue``.
@EventLoopActor
package final class SignalQueues<Notice: QueuedSignal> {
    private struct Recipient {
        var queue = SignalQueue<Notice>()

        /// Changed in place, because copying the queue costs as much as it holds.
        mutating func update(
            _ body: (inout SignalQueue<Notice>) -> [SignalQueue<Notice>.Effect]
        ) -> [SignalQueue<Notice>.Effect] {
            body(&queue)
        }
    }

    private let emit: @EventLoopActor (Notice, BusName) -> Void
    private let ping: @EventLoopActor (BusName, @escaping @EventLoopActor (Bool) -> Void) -> Void
    private var readerStopped: @EventLoopActor (BusName) -> Void = { _ in }
    private var recipients: [BusName: Recipient] = [:]

    /// - Parameters:
    ///   - ping: calls Ping of a connection. The result is whether it has answered, and so has read what was sent before.
    ///   - emit: sends a signal.
    package init(
        ping: @escaping @EventLoopActor (BusName, @escaping @EventLoopActor (Bool) -> Void) -> Void,
        emit: @escaping @EventLoopActor (Notice, BusName) -> Void
    ) {
        self.ping = ping
        self.emit = emit
    }

    /// - Parameter readerStopped: called later with a connection that does not read while too much is queued for it.
    package func begin(_ readerStopped: @escaping @EventLoopActor (BusName) -> Void) {
        self.readerStopped = readerStopped
    }

    /// A connection called a method: it reads.
    package func recordCall(of name: BusName) { update(name) { $0.called() } }

    /// Sends what waits for a connection, before a reply to it.
    package func flush(_ name: BusName) { update(name) { $0.flush() } }

    package func send(_ notice: Notice, to name: BusName) {
        if recipients[name] == nil { recipients[name] = Recipient() }
        update(name) { $0.send(notice) }
    }

    /// The connection is gone.
    package func forget(_ name: BusName) { recipients[name] = nil }

    private func update(
        _ name: BusName, _ body: (inout SignalQueue<Notice>) -> [SignalQueue<Notice>.Effect]
    ) {
        for effect in recipients[name]?.update(body) ?? [] {
            switch effect {
            case .send(let notice): emit(notice, name)
            case .ping:
                ping(name) { [weak self] hasAnswered in
                    self?.update(name) { hasAnswered ? $0.answered() : $0.pingFailed() }
                }
            case .overflow:
                EventLoopActor.execute { [readerStopped] in readerStopped(name) }
            }
        }
    }
}
