/// A queue of events for one reader.
///
/// Its size is bounded, except for final texts, text that was taken back and ends of sessions, which are never dropped.
/// For each session it keeps one level and the partial text of one unfinished block; of all other events the newest
/// ``newsLimit``.
struct EventBacklog {
    /// Maximum number of events other than partials, levels, finals and ends.
    static let newsLimit = 1024

    /// A merged or dropped event leaves a gap until the next compaction.
    private var slots: [SessionEvent?] = []
    /// Index of the next slot to read.
    private var first = 0
    /// Unread events.
    private(set) var count = 0
    /// Unread events that count against ``newsLimit``.
    private var unreadCount = 0
    /// The positions of the unread level and the unread partial, by session.
    private var levels: [UInt64: Int] = [:]
    private var partials: [UInt64: Int] = [:]

    var isEmpty: Bool { count == 0 }

    /// Slots in memory.
    var capacity: Int { slots.count }

    /// Whether the last unread event is the end of a session.
    var holdsEnd: Bool {
        if case .stopped? = slots.last??.event { !isEmpty } else { false }
    }

    func contains(where isWanted: (SessionEvent) -> Bool) -> Bool {
        slots[first...].contains { $0.map(isWanted) ?? false }
    }

    mutating func append(_ event: SessionEvent) {
        let session = event.session ?? 0
        switch event.event {
        case .level:
            take(levels[session])
            levels[session] = slots.count
            push(event)
        case .partial(let text):
            appendPartial(event, text, of: session)
        case .final(let final):
            // Earlier text is read before its final text.
            if let index = partials[session], case .partial(let text)? = slots[index]?.event,
                text.block == final.block
            {
                partials[session] = nil
            }
            push(event)
        case .retracted:
            // It refers to the text of the partials before it.
            partials[session] = nil
            push(event)
        case .stopped:
            partials[session] = nil
            levels[session] = nil
            push(event)
        case .serviceVanished:
            // The next service numbers its sessions from 1 again.
            partials = [:]
            levels = [:]
            pushNews(event)
        default:
            pushNews(event)
        }
    }

    mutating func popFirst() -> SessionEvent? {
        while first < slots.count {
            let index = first
            first += 1
            guard let event = slots[index] else { continue }
            slots[index] = nil
            count -= 1
            forget(event, at: index)
            if first > slots.count / 2, first > 32 || isEmpty { compact() }
            return event
        }
        return nil
    }

    mutating func removeAll(where isUnwanted: (SessionEvent) -> Bool) {
        for index in slots.indices[first...] {
            if let event = slots[index], isUnwanted(event) {
                take(index)
                forget(event, at: index)
            }
        }
        compact()
    }

    // MARK: Adding

    private mutating func appendPartial(_ event: SessionEvent, _ text: PartialText, of session: UInt64) {
        var event = event
        if let index = partials[session], case .partial(let earlier)? = slots[index]?.event {
            take(index)
            // The text of an earlier block was cancelled, or its final text follows.
            if earlier.block == text.block { event.event = .partial(earlier.followed(by: text)) }
        }
        partials[session] = slots.count
        push(event)
    }

    private mutating func push(_ event: SessionEvent) {
        slots.append(event)
        count += 1
        if slots.count > 64, slots.count > 4 * count { compact() }
    }

    private mutating func pushNews(_ event: SessionEvent) {
        push(event)
        unreadCount += 1
        if unreadCount > Self.newsLimit { dropOldNews() }
    }

    /// Drops the older half, so that the cost is spread over many events.
    private mutating func dropOldNews() {
        var surplus = unreadCount - Self.newsLimit / 2
        for index in slots.indices[first...] where surplus > 0 {
            guard let event = slots[index], event.isNews else { continue }
            take(index)
            unreadCount -= 1
            surplus -= 1
        }
        compact()
    }

    // MARK: Removing

    private mutating func take(_ index: Int?) {
        guard let index, slots[index] != nil else { return }
        slots[index] = nil
        count -= 1
    }

    /// Updates the positions after the event at `index` was removed.
    private mutating func forget(_ event: SessionEvent, at index: Int) {
        let session = event.session ?? 0
        if event.isNews { unreadCount -= 1 }
        if levels[session] == index { levels[session] = nil }
        if partials[session] == index { partials[session] = nil }
    }

    private mutating func compact() {
        var moved: [Int: Int] = [:]
        var kept: [SessionEvent?] = []
        kept.reserveCapacity(count)
        for index in slots.indices[first...] where slots[index] != nil {
            moved[index] = kept.count
            kept.append(slots[index])
        }
        slots = kept
        first = 0
        levels = levels.compactMapValues { moved[$0] }
        partials = partials.compactMapValues { moved[$0] }
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
