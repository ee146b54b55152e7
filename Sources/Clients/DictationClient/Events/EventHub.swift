/// Distributes events to the queues of their readers.
struct EventHub {
    private struct Listener {
        weak var queue: EventQueue?
        var scope: Scope
        /// For a session that has not begun: whether the service has left the bus after Start was called, without an
        /// event of the session since.
        var isInDoubt = false
    }

    enum Scope: Equatable {
        case everything
        /// The session whose Start has not been answered yet.
        case sessionToCome
        case session(UInt64)
    }

    private var listeners: [Listener] = []
    /// How all sequences of events ended.
    private var end: Result<Void, DictationError>?

    /// The queue is filled as long as its reader keeps it.
    mutating func addQueue(for scope: Scope) -> EventQueue {
        let queue = EventQueue()
        if let end {
            queue.finish(end)
            return queue
        }
        listeners.removeAll { $0.queue == nil }
        listeners.append(Listener(queue: queue, scope: scope))
        return queue
    }

    /// Start has returned the number of the session that `queue` waits for. Returns false, once, if it is uncertain
    /// that the session runs, because the service has left the bus meanwhile.
    mutating func narrow(_ queue: EventQueue, to session: UInt64) -> Bool {
        guard let index = listeners.firstIndex(where: { $0.queue === queue }) else { return true }
        if listeners[index].isInDoubt {
            listeners[index].isInDoubt = false
            guard queue.contains(where: { $0.session == session }) else { return false }
        }
        listeners[index].scope = .session(session)
        queue.removeAll { $0.session != session }
        if queue.holdsEnd { close(queue) }
        return true
    }

    mutating func endSession(of queue: EventQueue, throwing error: DictationError) {
        queue.finish(.failure(error))
        listeners.removeAll { $0.queue === queue }
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

    /// The service has left the bus, and all its sessions have ended. A session whose Start is not answered yet may
    /// belong to the next service; the events of the last service are about another one.
    mutating func endSessions(throwing error: DictationError) {
        for index in listeners.indices {
            switch listeners[index].scope {
            case .everything: break
            case .session: listeners[index].queue?.finish(.failure(error))
            case .sessionToCome:
                listeners[index].isInDoubt = true
                listeners[index].queue?.removeAll { _ in true }
            }
        }
        listeners.removeAll { if case .session = $0.scope { true } else { false } }
    }

    mutating func end(throwing error: DictationError?) {
        let end: Result<Void, DictationError> = error.map { .failure($0) } ?? .success(())
        self.end = self.end ?? end
        for listener in listeners { listener.queue?.finish(end) }
        listeners = []
    }

    private mutating func close(_ queue: EventQueue) {
        queue.finish(.success(()))
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
