import Testing

@testable public import DictationCore

@Suite struct PassageQueueTests {
    private var health = EngineHealth()
    private var queue = PassageQueue(
        settings: .init(engine: "whisper", previewEngine: "pocketsphinx"), health: EngineHealth())
    private let gone = EngineFailure(.closed, "gone")

    private func passage(
        _ preview: String?, seconds: Double = 4, block: BlockNumber = 1, overlaps: Bool = false,
        voice: VoiceEvidence? = nil
    ) -> Passage {
        Passage(
            block: block, samples: [Int16](repeating: 0, count: Int(seconds * 16000)), start: 0, end: seconds,
            overlaps: overlaps, preview: preview.map { [Segment(text: $0)] } ?? [],
            hasPreview: preview != nil, voice: voice)
    }

    /// One of those that follow each other, each 4 s long.
    private func passage(number: Int) -> Passage {
        Passage(
            block: 1, samples: [Int16](repeating: 0, count: 64_000), start: Double(4 * number - 4),
            end: Double(4 * number), preview: [Segment(text: "\(number)")], hasPreview: true)
    }

    private func sent(_ effects: [PassageQueue.Effect]) -> [Int] {
        effects.compactMap { if case .send(let id, _, _) = $0 { id } else { nil } }
    }

    private func texts(_ effects: [PassageQueue.Effect]) -> [String] {
        effects.compactMap { effect in
            guard case .report(let event, _) = effect else { return nil }
            return switch event {
            case .passage(_, let text): text.segment?.text ?? "<preview>"
            case .passageLost: "<lost>"
            case .noise: "<noise>"
            case .finalEngineFailed: "<down>"
            case .blockEnded(let block, _): "<end \(block)>"
            default: "?"
            }
        }
    }

    @Test mutating func sendsOneAtATimeInOrder() {
        #expect(sent(queue.add(passage("one"), &health, at: .zero)) == [1])
        #expect(queue.add(passage("two", seconds: 12), &health, at: .zero).isEmpty)
        #expect(queue.add(passage("three", seconds: 12), &health, at: .zero).isEmpty)
        let effects = queue.answered(1, .success("One."), &health, at: .seconds(1))
        #expect(texts(effects) == ["One."])
        #expect(sent(effects) == [2])
        #expect(health.state == .up)
    }

    @Test mutating func aJoinedPassageEndsWithItsLast() {
        for number in 1...4 { _ = queue.add(passage(number: number), &health, at: .zero) }
        let next = queue.answered(1, .success("One."), &health, at: .seconds(1))
        let joined = next.compactMap { if case .send(_, let samples, _) = $0 { samples.count } else { nil } }
        #expect(joined == [3 * 64_000])
        let effects = queue.answered(2, .success("Two three four."), &health, at: .seconds(2))
        let segments = effects.compactMap { effect in
            if case .report(.passage(_, let text), _) = effect { text.segment } else { nil }
        }
        #expect(segments.map(\.start) == [4] && segments.map(\.end) == [16])
    }

    /// What the preview engine understood shows that there is speech.
    @Test mutating func aKnockWithWordsIsSentAndOneWithoutIsNot() {
        let knock = VoiceEvidence(active: 8)
        #expect(sent(queue.add(passage("hello", voice: knock), &health, at: .zero)) == [1])
        queue = PassageQueue(settings: queue.settings, health: health)
        #expect(sent(queue.add(passage("", voice: knock), &health, at: .zero)) == [])
    }

    @Test mutating func aCommitDoesNotLengthenTheWaitForItsText() {
        var settings = queue.settings
        settings.fallback = .wait
        queue = PassageQueue(settings: settings, health: health)
        health.notDescribed(gone)
        _ = queue.add(passage("one"), &health, at: .zero)
        _ = queue.endBlock(1, duration: 4, &health, at: .seconds(10))
        #expect(queue.nextDeadline == settings.waitTimeout)
    }

    /// The timer may be late.
    @Test mutating func aPassageWhoseTimeIsOverIsNotSent() {
        var settings = queue.settings
        settings.fallback = .wait
        queue = PassageQueue(settings: settings, health: health)
        _ = queue.add(passage("one"), &health, at: .zero)
        _ = queue.add(passage("two"), &health, at: .zero)
        let late = queue.answered(
            1, .success("One."), &health, at: settings.waitTimeout + .milliseconds(13))
        #expect(sent(late).isEmpty)
        #expect(texts(late) == ["One.", "<preview>"])
    }

    @Test mutating func aTextHasWhetherItsPassageWasCut() {
        var cut = passage("one")
        cut.isCut = true
        _ = queue.add(cut, &health, at: .zero)
        _ = queue.add(passage("two"), &health, at: .zero)
        let effects =
            queue.answered(1, .success("One"), &health, at: .seconds(1))
            + queue.answered(2, .success("Two."), &health, at: .seconds(2))
        let ends = effects.compactMap { effect in
            if case .report(.passage(_, let text), _) = effect { text.segment?.isCut } else { nil }
        }
        #expect(ends == [true, false])
    }

    @Test mutating func theLastPassageOfACommitIsSentBesideAnother() {
        _ = queue.add(passage("one"), &health, at: .zero)
        _ = queue.add(passage("two"), &health, at: .zero)
        #expect(sent(queue.endBlock(1, duration: 8, &health, at: .zero)) == [2])
        #expect(texts(queue.answered(2, .success("Two."), &health, at: .seconds(1))).isEmpty)
        #expect(
            texts(queue.answered(1, .success("One."), &health, at: .seconds(2)))
                == ["One.", "Two.", "<end 1>"])
    }

    @Test mutating func aCommitWithNothingOpenEndsAtOnce() {
        _ = queue.add(passage("one"), &health, at: .zero)
        _ = queue.answered(1, .success("One."), &health, at: .seconds(1))
        #expect(texts(queue.endBlock(1, duration: 8, &health, at: .seconds(2))) == ["<end 1>"])
    }

    @Test mutating func aFailureIsRetriedOnceThenThePreviewStays() {
        _ = queue.add(passage("one"), &health, at: .zero)
        health.answered(audio: 1, took: .seconds(1))
        #expect(sent(queue.answered(1, .failure(gone), &health, at: .zero)) == [1])
        #expect(texts(queue.answered(1, .failure(gone), &health, at: .zero)) == ["<down>", "<preview>"])
        #expect(health.isDown)
        // Nothing waits for the engine, and the outage is reported once.
        #expect(texts(queue.add(passage("two"), &health, at: .zero)) == ["<preview>"])
        health.described()
        #expect(sent(queue.add(passage("three"), &health, at: .zero)) == [3])
        #expect(texts(queue.answered(3, .success("Three."), &health, at: .zero)) == ["Three."])
    }

    @Test mutating func aCommitWaitsFiveSeconds() {
        _ = queue.add(passage("one"), &health, at: .zero)
        _ = queue.endBlock(1, duration: 4, &health, at: .seconds(1))
        #expect(queue.nextDeadline == .seconds(6))
        #expect(queue.tick(&health, at: .milliseconds(5999)).isEmpty)
        let effects = queue.tick(&health, at: .seconds(6))
        #expect(effects.first == .cancel(1))
        // It has answered nothing yet: later commits do not wait for it.
        #expect(texts(effects) == ["<down>", "<preview>", "<end 1>"])
        // The late answer changes nothing.
        #expect(queue.answered(1, .success("One."), &health, at: .seconds(7)).isEmpty)
    }

    private static let knock = VoiceEvidence(active: 8)
    private static let breath = VoiceEvidence(active: 200)
    private static let word = VoiceEvidence(active: 38, pitched: 30, moving: 17)

    @Test mutating func noiseIsNotSentToTheEngineAndIsCounted() {
        #expect(texts(queue.add(passage("", voice: Self.knock), &health, at: .zero)) == ["<noise>", ""])
    }

    /// The engine may hear what the preview does not.
    @Test mutating func speechWithoutPreviewIsSent() {
        #expect(sent(queue.add(passage("", voice: Self.word), &health, at: .zero)) == [1])
        #expect(texts(queue.answered(1, .success("Bye."), &health, at: .zero)) == ["Bye."])
    }

    @Test mutating func inventedWordsAreDroppedAndCounted() {
        _ = queue.add(passage("", voice: Self.breath), &health, at: .zero)
        #expect(
            texts(queue.answered(1, .success("Thank you."), &health, at: .zero)) == ["<noise>", ""])
    }

    @Test mutating func anEngineThatDetectsSpeechGetsEverything() {
        health.described(detectsSpeech: true)
        #expect(sent(queue.add(passage("", voice: Self.knock), &health, at: .zero)) == [1])
        #expect(texts(queue.answered(1, .success("Ok."), &health, at: .zero)) == ["Ok."])
    }

    @Test mutating func shortPassagesAreSentWithSilence() {
        let effects = queue.add(passage("yes", seconds: 0.4), &health, at: .zero)
        guard case .send(_, let samples, _)? = effects.first else {
            Issue.record("nothing was sent")
            return
        }
        #expect(samples.count >= 16000)
    }

    @Test mutating func passagesThatWaitAreJoined() {
        _ = queue.add(passage("one"), &health, at: .zero)
        for text in ["two", "three", "four"] { _ = queue.add(passage(text), &health, at: .zero) }
        let effects = queue.answered(1, .success("One."), &health, at: .zero)
        guard case .send(_, let samples, _)? = effects.first else {
            Issue.record("nothing was sent")
            return
        }
        #expect(samples.count > 4 * 16000)
        #expect(samples.count <= 20 * 16000)
        var told = 0
        for id in 2...4 {
            for effect in queue.answered(id, .success("Text \(id) and more."), &health, at: .zero) {
                if case .report(.passage(_, let text), _) = effect { told += text.replaces }
            }
        }
        #expect(told == 3)
        #expect(queue.openCount == 0)
    }

    @Test mutating func theOldestKeepThePreviewWhenTheEngineIsTooSlow() {
        _ = queue.add(passage("one", seconds: 15), &health, at: .zero)
        for _ in 0..<6 { _ = queue.add(passage("more", seconds: 15), &health, at: .zero) }
        #expect(queue.openCount <= 3)
        let effects = queue.answered(1, .success("One."), &health, at: .zero)
        #expect(texts(effects) == ["One.", "<preview>", "<preview>", "<preview>", "<preview>"])
    }

    @Test mutating func cancelledBlocksLeaveNothing() {
        _ = queue.add(passage("one"), &health, at: .zero)
        _ = queue.add(passage("two"), &health, at: .zero)
        #expect(queue.discard(1, &health, at: .zero) == [.cancel(1)])
        #expect(queue.answered(1, .success("One."), &health, at: .zero).isEmpty)
        #expect(queue.nextDeadline == nil)
    }

    @Test mutating func waitsForTheEngineIfConfigured() {
        var settings = PassageQueue.Settings(engine: "whisper", previewEngine: "pocketsphinx")
        settings.fallback = .wait
        queue = PassageQueue(settings: settings, health: health)
        _ = queue.add(passage("one"), &health, at: .zero)
        _ = queue.answered(1, .failure(gone), &health, at: .zero)
        #expect(texts(queue.answered(1, .failure(gone), &health, at: .zero)) == ["<down>"])
        _ = queue.endBlock(1, duration: 4, &health, at: .seconds(1))
        health.described()
        #expect(sent(queue.healthChanged(&health, at: .seconds(5))) == [1])
        #expect(
            texts(queue.answered(1, .success("One."), &health, at: .seconds(6))) == ["One.", "<end 1>"])
    }

    @Test mutating func aPassageWithoutAnyTextIsReportedAsLost() {
        queue = PassageQueue(settings: .init(engine: "whisper", previewEngine: nil), health: health)
        _ = queue.add(passage(nil), &health, at: .zero)
        _ = queue.endBlock(1, duration: 4, &health, at: .zero)
        #expect(texts(queue.tick(&health, at: .seconds(45))) == ["<down>", "<lost>", "<end 1>"])
    }

    /// Without a preview each passage of a file waits for the engine, however many come at once.
    @Test mutating func aSlowEngineSkipsNothingOfAFile() {
        var settings = PassageQueue.Settings(engine: "whisper", previewEngine: nil)
        settings.inputWaits = true
        queue = PassageQueue(settings: settings, health: health)
        var effects: [PassageQueue.Effect] = []
        for _ in 1...5 { effects += queue.add(passage(nil), &health, at: .zero) }
        for id in 1...5 {
            let time = Duration.seconds(20 * id)
            effects += queue.tick(&health, at: time - .seconds(1))
            effects += queue.answered(id, .success("Words of \(id)."), &health, at: time)
        }
        effects += queue.endBlock(1, duration: 20, &health, at: .seconds(100))
        #expect(texts(effects) == (1...5).map { "Words of \($0)." } + ["<end 1>"])
    }

    /// An engine that does not answer holds a file up for a limited time.
    @Test mutating func theOldestPassageOfAFileIsReportedAsLost() {
        var settings = PassageQueue.Settings(engine: "whisper", previewEngine: nil)
        settings.inputWaits = true
        queue = PassageQueue(settings: settings, health: health)
        for _ in 1...2 { _ = queue.add(passage(nil), &health, at: .zero) }
        #expect(texts(queue.tick(&health, at: .seconds(45))).filter { $0 == "<lost>" } == ["<lost>"])
        #expect(texts(queue.tick(&health, at: .seconds(90))).filter { $0 == "<lost>" } == ["<lost>"])
        #expect(queue.openCount == 0)
    }

    @Test mutating func overlappingTextsAreJoined() {
        _ = queue.add(passage("a long story"), &health, at: .zero)
        _ = queue.answered(1, .success("A long story about the"), &health, at: .zero)
        _ = queue.add(passage("the sea", overlaps: true), &health, at: .zero)
        #expect(texts(queue.answered(2, .success("About the sea."), &health, at: .zero)) == ["sea."])
    }

    /// In any order of events, each passage has one outcome, in order, and each block ends once.
    @Test func everyPassageHasOneOutcome() {
        var generator = Generator(state: 1)
        for _ in 0..<2000 {
            var health = EngineHealth()
            var queue = PassageQueue(
                settings: .init(engine: "e", previewEngine: "p"), health: health)
            var now = Duration.zero
            var block: BlockNumber = 1
            var added = 0
            var replaced = 0
            var ended: [BlockNumber] = []
            var discarded: [BlockNumber: Int] = [:]
            var open: [BlockNumber: Int] = [:]
            var inFlight: Set<Int> = []
            func take(_ effects: [PassageQueue.Effect]) {
                for effect in effects {
                    switch effect {
                    case .send(let id, let samples, _):
                        inFlight.insert(id)
                        #expect(samples.count <= 28 * 16000)
                        #expect(inFlight.count <= 2)
                    case .cancel(let id): inFlight.remove(id)
                    case .report(.passage(let number, let text), _),
                        .report(.passageLost(let number, let text, _), _):
                        replaced += text.replaces
                        open[number, default: 0] -= text.replaces
                        #expect(discarded[number] == nil)
                    case .report(.blockEnded(let number, _), _):
                        ended.append(number)
                        #expect(open[number, default: 0] == 0)
                    case .report: break
                    case .open, .sound, .finish: Issue.record("a whole passage was streamed")
                    }
                }
            }
            for _ in 0..<40 {
                now += .milliseconds(Int(generator.next() % 3000))
                switch generator.next() % 8 {
                case 0, 1, 2:
                    added += 1
                    open[block, default: 0] += 1
                    let samples = [Int16](repeating: 0, count: Int(generator.next() % 24 + 1) * 16000)
                    take(
                        queue.add(
                            Passage(
                                block: block, samples: samples, start: 0, end: 1,
                                preview: [Segment(text: generator.next() % 5 == 0 ? "" : "w\(added)")]),
                            &health, at: now))
                case 3:
                    take(queue.endBlock(block, duration: 1, &health, at: now))
                    block += 1
                case 4:
                    take(queue.discard(block, &health, at: now))
                    replaced += open[block, default: 0]
                    discarded[block] = 1
                    block += 1
                case 5:
                    if let id = inFlight.min() {
                        inFlight.remove(id)
                        take(queue.answered(id, .success("Some words."), &health, at: now))
                    }
                case 6:
                    if let id = inFlight.max() {
                        inFlight.remove(id)
                        take(queue.answered(id, .failure(EngineFailure(.closed, "x")), &health, at: now))
                    }
                default:
                    if generator.next() % 2 == 0 { health.described() }
                    take(queue.healthChanged(&health, at: now))
                }
                if let deadline = queue.nextDeadline, deadline <= now { take(queue.tick(&health, at: now)) }
            }
            take(queue.endBlock(block, duration: 1, &health, at: now))
            while let deadline = queue.nextDeadline {
                now = max(now, deadline)
                take(queue.tick(&health, at: now))
            }
            #expect(replaced == added)
            #expect(ended == (1...block).filter { discarded[$0] == nil })
        }
    }
}

extension PassageAnswer: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
