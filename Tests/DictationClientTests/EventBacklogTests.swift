import Testing

@testable import DictationClient

@Suite("Events that wait for their reader")
struct EventBacklogTests {
    private func partial(_ offset: UInt64, _ stable: String, _ volatile: String, block: UInt64 = 1)
        -> SessionEvent
    {
        let text = PartialText(block: block, offset: offset, stable: stable, volatile: volatile)
        return SessionEvent(session: 1, event: .partial(text))
    }

    private func read(_ backlog: EventBacklog) -> [SessionEvent] {
        var backlog = backlog
        var events: [SessionEvent] = []
        while let event = backlog.popFirst() { events.append(event) }
        return events
    }

    @Test("Partials of a block become one that says what they say")
    func partialsMerge() {
        var backlog = EventBacklog()
        backlog.append(partial(0, "one ", "too"))
        backlog.append(partial(4, "two ", "tree"))
        backlog.append(partial(8, "", "three"))
        #expect(read(backlog) == [partial(0, "one two ", "three")])
    }

    @Test("Partials of different blocks, and finals, stay apart")
    func finalsStay() {
        var backlog = EventBacklog()
        let final = SessionEvent(session: 1, event: .final(Final(block: 1, text: "one")))
        let events = [
            partial(0, "one", ""), final, final, partial(0, "two", "", block: 2),
            partial(0, "a", "", block: 3),
        ]
        for event in events { backlog.append(event) }
        #expect(read(backlog) == events)
    }

    @Test("Of levels the last is kept")
    func levelsMerge() {
        var backlog = EventBacklog()
        for decibels in 1...1000 {
            let level = Level(rms: -Double(decibels), peak: 0)
            backlog.append(SessionEvent(session: 1, event: .level(level)))
        }
        #expect(read(backlog).map(\.event) == [.level(Level(rms: -1000, peak: 0))])
    }

    @Test("What was read is not merged with what comes")
    func readEventsAreGone() {
        var backlog = EventBacklog()
        backlog.append(partial(0, "one ", ""))
        #expect(backlog.popFirst() == partial(0, "one ", ""))
        backlog.append(partial(4, "two", ""))
        #expect(read(backlog) == [partial(4, "two", "")])
    }

    @Test("Levels and partials that alternate become one of each")
    func alternatingEventsMerge() {
        var backlog = EventBacklog()
        func level(_ session: UInt64, _ decibels: Int) -> SessionEvent {
            SessionEvent(session: session, event: .level(Level(rms: -Double(decibels), peak: 0)))
        }
        for number in 0..<10_000 {
            backlog.append(level(1, number))
            backlog.append(partial(UInt64(number), "a", "v\(number)"))
            backlog.append(level(2, number))
        }
        let text = String(repeating: "a", count: 10_000)
        #expect(read(backlog) == [level(1, 9999), partial(0, text, "v9999"), level(2, 9999)])
    }

    @Test("The memory of events that were read is used again while others wait")
    func readEventsAreCompacted() {
        var backlog = EventBacklog()
        func final(_ block: Int) -> SessionEvent {
            SessionEvent(session: 1, event: .final(Final(block: UInt64(block), text: "")))
        }
        for number in 0..<10 { backlog.append(final(number)) }
        for number in 0..<10_000 {
            backlog.append(final(number + 10))
            #expect(backlog.popFirst() == final(number))
            #expect(backlog.storedCount < 200)
        }
        #expect(read(backlog).count == 10)
    }
}
