/// Passes every event to those who want it.
struct EventHub {
    private struct Listener {
        weak var queue: EventQueue?
        var scope: Scope
    }

    enum Scope: Equatable {
        case everything
        /// The session that Start has not named yet.
        case sessionToCome
        case session(UInt64)
    }

    private var listeners: [Listener] = []

    /// The queue is filled as long as somebody else keeps it.
    mutating func addQueue(for scope: Scope) -> EventQueue {
        let queue = EventQueue()
        listeners.removeAll { $0.queue == nil }
        listeners.append(Listener(queue: queue, scope: scope))
        return queue
    }

    /// Start has named the session that `queue` waits for.
    mutating func narrow(_ queue: EventQueue, to session: UInt64) {
        guard let index = listeners.firstIndex(where: { $0.queue === queue }) else { return }
        listeners[index].scope = .session(session)
        queue.removeAll { $0.session != session }
        if queue.holdsEnd { close(queue) }
    }

    mutating func send(_ event: SessionEvent) {
        for listener in listeners {
            guard let queue = listener.queue, listener.scope.admits(event) else { continue }
            queue.append(event)
            if case .stopped = event.event, listener.scope != .everything, listener.scope != .sessionToCome {
                close(queue)
            }
        }
    }

    /// The service has gone, and all sessions with it.
    mutating func endSessions(throwing error: DictationError) {
        for listener in listeners where listener.scope != .everything {
            listener.queue?.finish(throwing: error)
        }
        listeners.removeAll { $0.scope != .everything }
    }

    mutating func end(throwing error: DictationError?) {
        for listener in listeners { listener.queue?.finish(throwing: error) }
        listeners = []
    }

    private mutating func close(_ queue: EventQueue) {
        queue.finish()
        listeners.removeAll { $0.queue === queue }
    }
}

extension EventHub.Scope {
    fileprivate func admits(_ event: SessionEvent) -> Bool {
        switch self {
        case .everything: true
        case .sessionToCome: event.session != nil
        case .session(let session): event.session == session
        }
    }
}
