import Testing

@testable import DictationCore

/// Random sequences of events.
extension LivePassageTests {
    /// In any order of events, each passage has one final text, in order, each block ends once, and the text of a block never
    /// becomes empty while its passages are open.
    @Test mutating func everyLivePassageHasOneOutcome() throws {
        var generator = SplitMixGenerator(state: 5)
        for round in 0..<200 {
            health = EngineHealth()
            if round % 3 > 0 { health.described() }
            queue = PassageQueue(
                settings: .init(engine: "e", previewEngine: round % 2 == 0 ? "p" : nil), health: health)
            now = .zero
            var run = Run()
            for _ in 0..<60 {
                now += .milliseconds(Int(generator.next() % 1500))
                try step(Int(generator.next() % 12), Int(generator.next() % 3), &run)
                if let deadline = queue.nextDeadline, deadline <= now {
                    run.take(queue.tick(&health, at: now))
                }
            }
            if let id = run.open { run.take(close(id, seconds: 30, block: run.block)) }
            run.take(queue.endBlock(run.block, duration: 1, &health, at: now))
            for _ in 0..<200 where queue.openCount > 0 {
                if let deadline = queue.nextDeadline { now = max(now, deadline) }
                run.take(queue.tick(&health, at: now))
                run.take(preview(.complete))
            }
            #expect(queue.openCount == 0)
            #expect(run.finals == run.begun - run.discarded)
            #expect(run.atEngine.isEmpty)
        }
    }

    private struct Run {
        var block: BlockNumber = 1
        var begun = 0
        var discarded = 0
        var finals = 0
        /// Passages of the current block without a final text.
        var ofBlock = 0
        var open: Int?
        var atEngine: Set<Int> = []

        mutating func take(_ effects: [PassageQueue.Effect]) {
            for effect in effects {
                switch effect {
                case .open(let id), .send(let id, _, _):
                    #expect(atEngine.insert(id).inserted)
                case .sound(let id, _), .finish(let id, _):
                    #expect(atEngine.contains(id))
                case .cancel(let id):
                    #expect(atEngine.remove(id) != nil)
                case .report(.passage(let number, _), _), .report(.passageLost(let number, _, _), _):
                    finals += 1
                    if number == block { ofBlock -= 1 }
                case .report: break
                }
            }
        }
    }

    private mutating func step(_ choice: Int, _ detail: Int, _ run: inout Run) throws {
        switch choice {
        case 0, 1:
            if let id = run.open {
                run.open = nil
                run.take(close(id, seconds: 30, block: run.block))
            } else {
                let begun = try begin(run.block)
                run.begun += 1
                run.ofBlock += 1
                run.open = begun.id
                run.take(begun.effects)
            }
        case 2, 3, 4:
            if let id = run.open { run.take(speak(id, Double(detail) + 0.5)) }
        case 5, 6:
            if let id = run.atEngine.sorted().dropFirst(detail).first {
                run.take(partial(id, "word \(choice) \(detail)", at: Double(detail * 3)))
            }
        case 7:
            if let id = run.atEngine.min() {
                run.atEngine.remove(id)
                let isOpen = id == run.open
                run.take(
                    queue.answered(
                        id, isOpen ? .failure(gone) : .success(PassageAnswer("Final.")), &health, at: now))
            }
        case 8:
            if let id = run.atEngine.max() {
                run.atEngine.remove(id)
                run.take(queue.answered(id, .failure(gone), &health, at: now))
            }
        case 9:
            let events: [PreviewEvent] = [.hypothesis("heard"), .segment(Segment(text: "heard")), .complete]
            if detail < 2 || queue.wishes.first?.isClosed ?? false { run.take(preview(events[detail])) }
        case 10:
            if let id = run.open { run.take(close(id, seconds: 30, block: run.block)) }
            run.open = nil
            if detail == 0 {
                run.take(queue.discard(run.block, &health, at: now))
                run.discarded += run.ofBlock
            } else {
                run.take(queue.endBlock(run.block, duration: 1, &health, at: now))
            }
            run.ofBlock = 0
            run.block += 1
        default:
            if detail == 0 { health.described() }
            run.take(queue.healthChanged(&health, at: now))
        }
    }
}

private struct SplitMixGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
