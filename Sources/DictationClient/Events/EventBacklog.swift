/// Events that wait for their reader. Partials and levels that nobody has read are merged, so that the backlog of a
/// reader who never comes grows by finals and changes of state alone; nothing else is left out.
struct EventBacklog {
    private var events: [SessionEvent] = []
    private var first = 0

    /// So many events are read before the array is compacted.
    private static let compaction = 64

    var isEmpty: Bool { first == events.count }

    var holdsEnd: Bool {
        if case .stopped = events.last?.event { !isEmpty } else { false }
    }

    /// Of the array, events that were read included.
    var storedCount: Int { events.count }

    mutating func append(_ event: SessionEvent) {
        // Levels and partials alternate: each is merged with the last one of its kind. Anything else keeps its place.
        for index in events.indices[first...].reversed() {
            if let merged = events[index].merged(with: event) {
                events[index] = merged
                return
            }
            guard events[index].mayBePassed(by: event) else { break }
        }
        events.append(event)
    }

    mutating func popFirst() -> SessionEvent? {
        guard !isEmpty else { return nil }
        defer {
            first += 1
            // At most half of the array is events that were read, and each event is moved once at most, on average.
            if isEmpty || first >= Self.compaction && first * 2 >= events.count {
                events.removeSubrange(..<first)
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
    /// Whether `event` may be merged with one before this one: this is a level or a partial, and not of the same kind
    /// and session.
    fileprivate func mayBePassed(by next: SessionEvent) -> Bool {
        switch (event, next.event) {
        case (.level, .partial), (.partial, .level): true
        case (.level, .level), (.partial, .partial): session != next.session
        default: false
        }
    }

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
