import DictationTestKit
import Testing

@testable import DictationClient

@Suite struct EventBacklogTests {
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

    @Test func mergesPartialsOfABlock() {
        var backlog = EventBacklog()
        backlog.append(partial(0, "one ", "too"))
        backlog.append(partial(4, "two ", "tree"))
        backlog.append(partial(8, "", "three"))
        #expect(read(backlog) == [partial(0, "one two ", "three")])
    }

    private func final(_ block: UInt64) -> SessionEvent {
        SessionEvent(session: 1, event: .final(Final(block: block, text: "text of \(block)")))
    }

    private func level(_ decibels: Int, session: UInt64 = 1) -> SessionEvent {
        SessionEvent(session: session, event: .level(Level(rms: -Double(decibels), peak: 0)))
    }

    @Test func keepsTheOrderOfFinalsAndPartialsOfOtherBlocks() {
        var backlog = EventBacklog()
        let events = [
            partial(0, "one", ""), final(1), final(2), partial(0, "two", "", block: 3), final(3),
            partial(0, "a", "", block: 4),
        ]
        for event in events { backlog.append(event) }
        #expect(read(backlog) == events)
    }

    @Test func doesNotMergePartialsAcrossARetraction() {
        var backlog = EventBacklog()
        let retraction = SessionEvent(
            session: 1, event: .retracted(Retraction(block: 1, offset: 4, scalars: 3)))
        let events = [partial(0, "one two", ""), retraction, partial(4, "three", "")]
        for event in events { backlog.append(event) }
        #expect(read(backlog) == events)
    }

    @Test func keepsOnePartialOfUnfinishedBlocks() {
        var backlog = EventBacklog()
        for block in UInt64(1)...1000 { backlog.append(partial(0, "cancelled", "", block: block)) }
        #expect(read(backlog) == [partial(0, "cancelled", "", block: 1000)])
    }

    @Test func isBoundedWhenLevelsAndPartialsAlternate() {
        var backlog = EventBacklog()
        var text = ""
        for number in 0..<2000 {
            backlog.append(partial(UInt64(text.count), "w", "v\(number)"))
            text += "w"
            backlog.append(level(number))
            backlog.append(level(number, session: 2))
            #expect(backlog.count <= 3)
            #expect(backlog.capacity <= 128)
        }
        #expect(read(backlog) == [partial(0, text, "v1999"), level(1999), level(1999, session: 2)])
    }

    @Test func releasesWhatASlowReaderHasRead() {
        var backlog = EventBacklog()
        for block in UInt64(1)...10_000 {
            backlog.append(final(2 * block))
            backlog.append(final(2 * block + 1))
            _ = backlog.popFirst()
        }
        #expect(backlog.count == 10_000)
        #expect(backlog.capacity <= 20_032)
        while backlog.count > 10 { _ = backlog.popFirst() }
        #expect(backlog.capacity <= 64)
        #expect(read(backlog).last == final(20_001))
    }

    /// A reader that never reads, while a session is paused and resumed repeatedly.
    @Test func neverDropsFinalsAndEnds() {
        var backlog = EventBacklog()
        let state = SessionEvent(
            session: 1, event: .stateChanged(StateChange(state: .paused, cause: "paused")))
        let stopped = SessionEvent(session: 1, event: .stopped(.stopped))
        for number in 1...20_000 {
            backlog.append(state)
            if number.isMultiple(of: 100) { backlog.append(final(UInt64(number))) }
        }
        backlog.append(stopped)
        #expect(backlog.holdsEnd)
        let events = read(backlog)
        #expect(events.count(where: { $0 == state }) <= EventBacklog.newsLimit)
        #expect(events.filter { $0 != state } == (1...200).map { final(UInt64($0) * 100) } + [stopped])
        #expect(events.dropLast(2).last == state)
    }

    @Test func doesNotMergeTextOfTwoServices() {
        var backlog = EventBacklog()
        let vanished = SessionEvent(session: nil, event: .serviceVanished)
        let events = [partial(0, "", "old"), vanished, partial(0, "", "new")]
        for event in events { backlog.append(event) }
        #expect(read(backlog) == events)
    }

    /// Merging must not change the assembled text.
    @Test func mergedPartialsHaveTheEffectOfAll() {
        var generator = TestRandom()
        for _ in 0..<500 {
            var texts: [PartialText] = []
            var expected = BlockText()
            var merged = BlockText()
            var backlog = EventBacklog()
            for number in 0..<8 {
                let text = PartialText(
                    block: 1,
                    offset: .random(
                        in: 0...UInt64(expected.stable.unicodeScalars.count), using: &generator),
                    stable: String("äb🎙cdefg".prefix(.random(in: 0...7, using: &generator))),
                    volatile: "\(number)")
                texts.append(text)
                expected.apply(text)
                backlog.append(SessionEvent(session: 1, event: .partial(text)))
            }
            for event in read(backlog) {
                if case .partial(let text) = event.event { merged.apply(text) }
            }
            #expect(merged == expected, "seed \(generator.seed): \(texts)")
        }
    }

    @Test func keepsTheLastLevel() {
        var backlog = EventBacklog()
        for decibels in 1...1000 {
            let level = Level(rms: -Double(decibels), peak: 0)
            backlog.append(SessionEvent(session: 1, event: .level(level)))
        }
        #expect(read(backlog).map(\.event) == [.level(Level(rms: -1000, peak: 0))])
    }

    @Test func doesNotMergeWithReadEvents() {
        var backlog = EventBacklog()
        backlog.append(partial(0, "one ", ""))
        #expect(backlog.popFirst() == partial(0, "one ", ""))
        backlog.append(partial(4, "two", ""))
        #expect(read(backlog) == [partial(4, "two", "")])
    }
}
