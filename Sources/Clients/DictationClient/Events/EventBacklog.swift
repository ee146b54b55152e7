import DBus

/// A queue of events for one reader.
///
/// Its size is bounded, except for final texts, text that was taken back and ends of sessions, which are never dropped.
/// For each session it keeps one level and the partial text of one unfinished block; of all other events the newest
/// ``newsLimit``.
struct EventBacklog {
    /// Maximum number of events other than partials, levels, finals and ends.
    static let newsLimit = 1024

    private var queue = MergingQueue<Unread>()
    /// Unread events that count against ``newsLimit``.
    private var newsCount = 0

    /// Unread events.
    var count: Int { queue.count }
    var isEmpty: Bool { queue.isEmpty }
    /// Slots in memory.
    var capacity: Int { queue.capacity }

    /// Whether the last unread event is the end of a session.
    var holdsEnd: Bool { if case .stopped? = queue.last?.event.event { true } else { false } }

    func contains(where isWanted: (SessionEvent) -> Bool) -> Bool { queue.contains { isWanted($0.event) } }

    mutating func append(_ event: SessionEvent) {
        var unread = Unread(event: event)
        if let earlier = queue.removeReplaced(by: unread) { unread = unread.merged(with: earlier) }
        queue.append(unread)
        guard event.isNews else { return }
        newsCount += 1
        guard newsCount > Self.newsLimit else { return }
        // The older half, so that the cost is spread over many events.
        newsCount -= queue.removeFirst(newsCount - Self.newsLimit / 2) { $0.event.isNews }
    }

    mutating func popFirst() -> SessionEvent? {
        let event = queue.popFirst()?.event
        if event?.isNews ?? false { newsCount -= 1 }
        return event
    }

    mutating func removeAll(where isUnwanted: (SessionEvent) -> Bool) {
        newsCount -= queue.removeFirst { $0.event.isNews && isUnwanted($0.event) }
        queue.removeFirst { isUnwanted($0.event) }
    }
}

private struct Unread: Mergeable {
    let event: SessionEvent
    private var session: UInt64 { event.session ?? 0 }

    /// Events of which a session has one unread at most.
    enum Kind: Hashable, Sendable {
        case partial(UInt64)
        case level(UInt64)
    }

    var kind: Kind? {
        switch event.event {
        case .partial: .partial(session)
        case .level: .level(session)
        default: nil
        }
    }

    var separated: Separated<Kind> {
        switch event.event {
        // Earlier text is read before its final text. A retraction refers to the text of the partials before it.
        case .final, .retracted: .kind(.partial(session))
        case .stopped: .kinds([.partial(session), .level(session)])
        // The next service numbers its sessions from 1 again.
        case .serviceVanished: .all
        default: .none
        }
    }

    /// The text of an earlier block was cancelled, or its final text follows.
    func merged(with earlier: Unread) -> Unread {
        guard case .partial(let text) = event.event, case .partial(let earlierText) = earlier.event.event,
            earlierText.block == text.block
        else { return self }
        let both = earlierText.followed(by: text)
        return Unread(event: SessionEvent(session: event.session, event: .partial(both)))
    }
}

extension SessionEvent {
    /// Not text, a level, or the end of a session.
    fileprivate var isNews: Bool {
        switch event {
        case .level, .partial, .final, .retracted, .stopped: false
        default: true
        }
    }
}

extension PartialText {
    /// Merges two partials of one block.
    fileprivate func followed(by next: PartialText) -> PartialText {
        guard next.offset > offset else { return next }
        var both = next
        both.offset = offset
        both.stable = String(stable.unicodeScalars.prefix(Int(clamping: next.offset - offset))) + next.stable
        return both
    }
}
