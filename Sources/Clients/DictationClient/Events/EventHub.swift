/// Distributes events to the queues of their readers.
struct EventHub {
    private struct Listener {
        weak var queue: EventQueue?
        var scope: Scope
        /// For a session that has not begun: whether the service has left the bus after Start was called, without an
        /// event of the session since.
        var isInDoubt = false
        /// Whether the session may continue in the next service.
        var survivesRestart = false
        /// While that is uncertain: its events since.
        var held: [SessionEvent]?
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
    mutating func addQueue(for scope: Scope, survivesRestart: Bool = false) -> EventQueue {
        let queue = EventQueue()
        if let end {
            queue.finish(end)
            return queue
        }
        listeners.removeAll { $0.queue == nil }
        listeners.append(Listener(queue: queue, scope: scope, survivesRestart: survivesRestart))
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
        for index in listeners.indices {
            let listener = listeners[index]
            guard let queue = listener.queue, listener.scope.admits(event) else { continue }
            if let held = listener.held {
                if held.count < EventBacklog.newsLimit { listeners[index].held?.append(event) }
                continue
            }
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
            case .session where listeners[index].survivesRestart: listeners[index].held = []
            case .session: listeners[index].queue?.finish(.failure(error))
            case .sessionToCome:
                listeners[index].isInDoubt = true
                listeners[index].queue?.removeAll { _ in true }
            }
        }
        listeners.removeAll { listener in
            if case .session = listener.scope { listener.held == nil } else { false }
        }
    }

    /// Whether somebody reads the events of this session, and it is certain that it runs.
    func follows(_ session: UInt64) -> Bool {
        listeners.contains { $0.scope == .session(session) && $0.held == nil && $0.queue != nil }
    }

    var hasSessionsInDoubt: Bool { listeners.contains { $0.held != nil && $0.queue != nil } }

    /// The next service has told which session continues, or there is none.
    mutating func resolveDoubts(_ status: SessionStatus?, throwing error: DictationError) {
        for index in listeners.indices {
            guard let held = listeners[index].held, case .session(let session) = listeners[index].scope else {
                continue
            }
            listeners[index].held = nil
            let queue = listeners[index].queue
            guard let status, status.isOwner, status.session == session else {
                queue?.finish(.failure(error))
                listeners[index].queue = nil
                continue
            }
            queue?.append(SessionEvent(session: session, event: .restored(status)))
            for event in held { queue?.append(event) }
            if case .stopped? = held.last?.event {
                queue?.finish(.success(()))
                listeners[index].queue = nil
            }
        }
        listeners.removeAll { $0.queue == nil }
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
