/// Events that wait for their reader. Partials and levels that nobody has read are merged, so that the backlog of a
/// reader who never comes grows by finals and changes of state alone; nothing else is left out.
struct EventBacklog {
    private var events: [SessionEvent] = []
    private var first = 0

    var isEmpty: Bool { first == events.count }

    var holdsEnd: Bool {
        if case .stopped = events.last?.event { !isEmpty } else { false }
    }

    mutating func append(_ event: SessionEvent) {
        if let last = events.last, !isEmpty, let merged = last.merged(with: event) {
            events[events.count - 1] = merged
        } else {
            events.append(event)
        }
    }

    mutating func popFirst() -> SessionEvent? {
        guard !isEmpty else { return nil }
        defer {
            first += 1
            if isEmpty {
                events.removeAll(keepingCapacity: true)
                first = 0
            }
        }
        return events[first]
    }

    mutating func removeAll(where isUnwanted: (SessionEvent) -> Bool) {
        events = events[first...].filter { !isUnwanted($0) }
        first = 0
    }
}

extension SessionEvent {
    /// One event that says what this and its successor say; nil where there is none.
    fileprivate func merged(with next: SessionEvent) -> SessionEvent? {
        guard session == next.session else { return nil }
        switch (event, next.event) {
        case (.level, .level):
            return next
        case (.partial(var text), .partial(let later))
        where text.block == later.block
            && later.offset == text.offset + UInt64(text.stable.unicodeScalars.count):
            text.stable += later.stable
            text.volatile = later.volatile
            return SessionEvent(session: session, event: .partial(text))
        default:
            return nil
        }
    }
}
