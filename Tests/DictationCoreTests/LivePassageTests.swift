import Testing

@testable import DictationCore

/// Passages whose engine gets the sound while it is captured.
@Suite struct LivePassageTests {
    var health = EngineHealth()
    var queue = PassageQueue(
        settings: .init(engine: "whisper", previewEngine: "pocketsphinx"), health: EngineHealth())
    var now = Duration.zero
    let gone = EngineFailure(.closed, "gone")

    init() {
        health.described()
    }

    // MARK: Steps

    mutating func begin(
        _ block: BlockNumber = 1, at start: Int = 0, overlaps: Bool = false
    ) throws -> (id: Int, effects: [PassageQueue.Effect]) {
        let begun = queue.begin(
            block: block, at: start, overlaps: overlaps, kind: .revises, mayChange: true, &health, at: now)
        return (try #require(begun.id), begun.effects)
    }

    /// Speech, in pieces of 0.1 s.
    mutating func speak(_ id: Int, _ seconds: Double) -> [PassageQueue.Effect] {
        var effects: [PassageQueue.Effect] = []
        for _ in 0..<Int(seconds * 10 + 0.5) {
            now += .milliseconds(100)
            effects += queue.append(
                id, [Int16](repeating: 1, count: 1600), isSpeech: true, &health, at: now)
        }
        return effects
    }

    mutating func partial(
        _ id: Int, _ text: String, settled: Int = 0, at seconds: Double
    ) -> [PassageQueue.Effect] {
        queue.partial(
            id, PassagePartial(text: text, settled: settled, samples: Int(seconds * 16000), language: "en"),
            &health, at: now)
    }

    mutating func close(
        _ id: Int, seconds: Double, block: BlockNumber = 1, overlaps: Bool = false
    ) -> [PassageQueue.Effect] {
        let samples = [Int16](repeating: 1, count: Int(seconds * 16000 + 0.5))
        let passage = Passage(
            block: block, samples: samples, start: 0, end: seconds, overlaps: overlaps, hasPreview: false)
        return queue.close(id, passage, &health, at: now)
    }

    mutating func preview(_ event: PreviewEvent) -> [PassageQueue.Effect] {
        guard let wish = queue.wishes.first else { return [] }
        return queue.previewed(wish.passage, number: wish.number, event, &health, at: now)
    }

    private func live(_ effects: [PassageQueue.Effect]) -> [String] {
        effects.compactMap { effect in
            if case .report(.live(_, let text), _) = effect { text.text } else { nil }
        }
    }

    private func finals(_ effects: [PassageQueue.Effect]) -> [PassageText] {
        effects.compactMap { effect in
            switch effect {
            case .report(.passage(_, let text), _), .report(.passageLost(_, let text, _), _): text
            default: nil
            }
        }
    }

    private func sent(_ effects: [PassageQueue.Effect]) -> Int {
        effects.reduce(0) { sum, effect in
            if case .sound(_, let samples) = effect { sum + samples.count } else { sum }
        }
    }

    @Test mutating func noiseIsNotALateEngine() throws {
        let (id, _) = try begin()
        // To the voice activity detector of the service the noise is speech. The engine says that nobody speaks.
        for second in 1...8 {
            _ = speak(id, 1)
            #expect(live(partial(id, "", at: Double(second))).isEmpty)
            #expect(queue.wishes.isEmpty)
        }
        _ = close(id, seconds: 8)
        _ = queue.answered(id, .success(PassageAnswer("", isSpeech: false)), &health, at: now)
        // Nor in the next passage.
        let (next, _) = try begin(at: 200_000)
        _ = speak(next, 1)
        #expect(queue.wishes.isEmpty)
    }

    // MARK: An engine that answers

    @Test mutating func theSoundIsSentWhileItIsSpoken() throws {
        let (id, effects) = try begin()
        #expect(effects == [.open(id)])
        #expect(sent(speak(id, 1)) == 16000)
        let end = close(id, seconds: 1.2)
        #expect(sent(end) == 3200)
        #expect(end.contains { if case .finish(id, _) = $0 { true } else { false } })
        #expect(queue.wishes.isEmpty)
    }

    /// Words of a caption marker do not count.
    @Test mutating func noMoreIsSettledThanThereIs() throws {
        let (id, _) = try begin()
        _ = speak(id, 1)
        #expect(live(partial(id, "one [Music]", settled: 11, at: 0.9)) == ["one"])
        #expect(queue.liveText(of: 1).settled == 3)
    }

    /// More of a text that is not final may follow. A final one is whole: it says the words again.
    @Test mutating func wordsThatAreSaidAgainAreShownWhenTheirPassageIsFinal() throws {
        let (first, _) = try begin()
        _ = speak(first, 2)
        _ = partial(first, "we sat on the mat", at: 1.9)
        _ = close(first, seconds: 2)
        let (second, _) = try begin(at: 16000, overlaps: true)
        _ = speak(second, 1)
        _ = partial(second, "on the", at: 0.9)
        #expect(queue.liveText(of: 1).text == "we sat on the mat")
        _ = close(second, seconds: 1, overlaps: true)
        _ = queue.answered(
            second, .success(PassageAnswer("on the", language: "en", isSpeech: true)), &health, at: now)
        #expect(queue.liveText(of: 1).text == "we sat on the mat on the")
    }

    @Test mutating func theSettledPartOfATextThatOverlapsIsThatOfItsRest() throws {
        let (first, _) = try begin()
        _ = speak(first, 2)
        _ = partial(first, "we sat on the mat", settled: 17, at: 1.9)
        _ = close(first, seconds: 2)
        let (second, _) = try begin(at: 16000, overlaps: true)
        _ = speak(second, 1)
        _ = partial(second, "on the mat again", settled: 12, at: 0.9)
        #expect(queue.liveText(of: 1).text == "we sat on the mat again")
        #expect(queue.liveText(of: 1).settled == 19)
    }

    @Test mutating func eachTextReplacesTheOneBeforeUntilTheFinal() throws {
        let (id, _) = try begin()
        _ = speak(id, 1)
        #expect(live(partial(id, "I want", at: 0.9)) == ["I want"])
        #expect(live(partial(id, "I want", at: 0.9)).isEmpty)
        _ = speak(id, 1)
        #expect(live(partial(id, "I won two", settled: 1, at: 1.9)) == ["I won two"])
        #expect(queue.liveText(of: 1).settled == 1)
        #expect(queue.liveText(of: 1).language == "en")
        _ = close(id, seconds: 2)
        let final = queue.answered(
            id, .success(PassageAnswer("I won, too.", language: "en", isSpeech: true)), &health, at: now)
        #expect(finals(final).map { $0.segment?.text } == ["I won, too."])
        #expect(finals(final).map(\.rest) == [LiveText()])
        #expect(finals(final).map(\.isFallback) == [false])
        #expect(queue.openCount == 0)
    }

    @Test mutating func textsComeInOrderAndTheLaterOneStaysVisible() throws {
        let (first, _) = try begin()
        _ = speak(first, 1)
        _ = partial(first, "one", at: 1)
        _ = close(first, seconds: 1)
        let (second, _) = try begin(at: 40_000)
        _ = speak(second, 1)
        #expect(live(partial(second, "two", at: 1)) == ["one two"])
        _ = close(second, seconds: 1)
        #expect(finals(queue.answered(second, .success("Two."), &health, at: now)).isEmpty)
        let effects = queue.answered(first, .success("One."), &health, at: now)
        #expect(finals(effects).map { $0.segment?.text } == ["One.", "Two."])
        #expect(finals(effects).map { $0.rest?.text } == ["Two.", ""])
    }

    @Test(arguments: [(true, "Thank you."), (false, "")])
    mutating func theEnginesOwnDetectorDecidesWhetherSomebodySpoke(isSpeech: Bool, text: String) throws {
        let (id, _) = try begin()
        _ = speak(id, 1)
        _ = close(id, seconds: 1)
        let answer = PassageAnswer("Thank you.", isSpeech: isSpeech)
        let effects = queue.answered(id, .success(answer), &health, at: now)
        #expect(finals(effects).map { $0.segment?.text } == [text])
    }

    // MARK: The preview engine takes over

    @Test mutating func aLostConnectionIsReplacedAndThePreviewEngineFillsTheGap() throws {
        let (id, _) = try begin()
        _ = speak(id, 4)
        _ = partial(id, "we went to the", at: 3.8)
        let effects = queue.answered(id, .failure(gone), &health, at: now)
        // A new connection gets all of the sound.
        #expect(effects.contains(.open(id)))
        #expect(sent(effects) == 64_000)
        // The preview engine gets it from the end of the text, with the word that was held back.
        let wish = try #require(queue.wishes.first)
        #expect(wish.start == Int(3.8 * 16000) - PassagePreview.overlap)
        #expect(queue.sound(for: wish).count == 64_000 - wish.start)
        #expect(live(preview(.hypothesis("to the harbour"))) == ["we went to the harbour"])
        _ = speak(id, 0.5)
        // The engine is back.
        #expect(live(partial(id, "we went to the harbour and", at: 4.4)) == ["we went to the harbour and"])
        #expect(queue.wishes.isEmpty)
    }

    @Test mutating func anEngineThatIsDownLeavesThePassageToThePreviewEngine() throws {
        let (id, _) = try begin()
        _ = speak(id, 2)
        _ = partial(id, "hello", at: 1.5)
        _ = queue.answered(id, .failure(gone), &health, at: now)
        _ = queue.answered(id, .failure(gone), &health, at: now)
        #expect(health.isDown)
        _ = speak(id, 1)
        _ = preview(.segment(Segment(text: "hello world")))
        let effects = close(id, seconds: 3) + preview(.complete)
        let final = try #require(finals(effects).first)
        #expect(final.segment?.text == "hello world")
        #expect(final.isFallback)
        // In the next passage it works from the beginning.
        let (next, opening) = try begin(at: 60_000)
        #expect(opening.isEmpty)
        #expect(queue.wishes.map(\.start) == [60_000])
        _ = speak(next, 1)
        #expect(live(preview(.hypothesis("again"))) == ["again"])
        // When the engine is back, it gets what was said meanwhile.
        health.described()
        #expect(sent(queue.healthChanged(&health, at: now)) == 16_000)
    }

    @Test mutating func anEngineThatFallsBehindIsHelped() throws {
        let (id, _) = try begin()
        _ = speak(id, 1.2)
        _ = partial(id, "one", at: 1)
        _ = speak(id, 1)
        _ = partial(id, "one two", at: 2)
        #expect(queue.wishes.isEmpty)
        _ = speak(id, 3)
        #expect(!queue.wishes.isEmpty)
        #expect(live(preview(.hypothesis("two three four"))) == ["one two three four"])
        // A text that is still far behind does not take the words away.
        #expect(live(partial(id, "one two three", at: 3)).isEmpty)
        #expect(live(partial(id, "one two three four five", at: 5)) == ["one two three four five"])
        #expect(queue.wishes.isEmpty)
    }

    @Test mutating func thePreviewEngineTakesOverAtOnceWhereTheEngineDoesNotRespond() throws {
        let (id, _) = try begin()
        _ = speak(id, 2)
        _ = partial(id, "one two", at: 1.7)
        // Nothing was said that it has no text for.
        _ = queue.responds(id, false, &health, at: now)
        #expect(queue.wishes.isEmpty)
        _ = speak(id, 0.3)
        #expect(queue.wishes.map(\.passage) == [id])
        #expect(live(preview(.hypothesis("two three"))).isEmpty)
        #expect(live(speak(id, 0.1)) == ["one two three"])
        // In the next passage as well.
        _ = close(id, seconds: 2.4)
        let (next, _) = try begin(at: 60_000)
        _ = speak(next, 0.5)
        #expect(queue.wishes.map(\.passage) == [id, next])
        // Its answer still counts if it comes first.
        let answer = queue.answered(id, .success("One two three."), &health, at: now)
        #expect(finals(answer).map { $0.segment?.text } == ["One two three."])
        #expect(finals(answer).map(\.isFallback) == [false])
    }

    @Test mutating func anEngineThatRespondsAgainSoonKeepsItsTurn() throws {
        let (id, _) = try begin()
        _ = speak(id, 2)
        _ = partial(id, "one two", at: 1.7)
        _ = queue.responds(id, false, &health, at: now)
        _ = speak(id, 0.3)
        #expect(live(preview(.hypothesis("two three"))).isEmpty)
        #expect(live(queue.responds(id, true, &health, at: now)).isEmpty)
        #expect(queue.wishes.isEmpty)
        #expect(live(speak(id, 0.3)).isEmpty)
        #expect(live(partial(id, "one", at: 2)) == ["one"])
    }

    /// It was always this slow.
    @Test mutating func aSlowEngineIsBackWhenItsTextIsTwoSecondsLate() throws {
        let (id, _) = try begin()
        _ = speak(id, 2.9)
        _ = partial(id, "one", at: 2.9)
        _ = speak(id, 4.3)
        #expect(queue.wishes.isEmpty)
        _ = speak(id, 0.1)
        #expect(!queue.wishes.isEmpty)
        _ = partial(id, "one two", at: 5.9)
        #expect(queue.wishes.isEmpty)
    }

    /// The latest four texts show how fast the engine is.
    @Test mutating func anEngineThatWasSlowOnceIsHelpedSoonAgain() throws {
        let (id, _) = try begin()
        _ = speak(id, 2.9)
        _ = partial(id, "0", at: 2.9)
        for number in 1...3 {
            _ = speak(id, 1)
            _ = partial(id, "\(number)", at: 2.9 + Double(number))
        }
        _ = speak(id, 1.6)
        #expect(queue.wishes.isEmpty)
        _ = partial(id, "4", at: 7.5)
        _ = speak(id, 2.5)
        #expect(!queue.wishes.isEmpty)
    }

    /// They cost the engine the whole passage each time.
    @Test mutating func aPassageHasFourConnectionsAtMost() throws {
        let (id, effects) = try begin()
        var opened = effects.count { $0 == .open(id) }
        for _ in 1...10 {
            _ = speak(id, 0.1)
            let lost = queue.answered(id, .failure(gone), &health, at: now)
            health.described()
            opened += (lost + queue.healthChanged(&health, at: now)).count { $0 == .open(id) }
        }
        #expect(opened == 4)
    }

    @Test mutating func aLostPreviewEngineIsNotAskedAgain() throws {
        let (id, _) = try begin()
        _ = speak(id, 2)
        _ = partial(id, "one two", at: 1.7)
        _ = queue.previewEngineLost(&health, at: now)
        _ = queue.responds(id, false, &health, at: now)
        _ = speak(id, 2)
        #expect(queue.wishes.isEmpty)
    }

    /// The text of the preview engine is not all that was said.
    @Test(arguments: [false, true]) mutating func aPartThatThePreviewEngineFailedOnIsReported(fails: Bool)
        throws
    {
        let (id, _) = try begin()
        _ = speak(id, 2)
        for _ in 1...2 { _ = queue.answered(id, .failure(gone), &health, at: now) }
        _ = preview(.segment(Segment(text: "hello")))
        if fails { _ = preview(.failed) }
        let effects = close(id, seconds: 2) + preview(.complete)
        #expect(finals(effects).map { $0.segment?.text } == ["hello"])
        #expect(effects.contains { if case .report(.passageLost, _) = $0 { true } else { false } } == fails)
    }

    @Test mutating func theSettledPartIsThatOfTheRespelledText() throws {
        queue = PassageQueue(
            settings: .init(engine: "whisper", previewEngine: "pocketsphinx"), health: health,
            respelling: Respelling([.init("PipeWire")]) { _ in false })
        let (id, _) = try begin()
        _ = speak(id, 2)
        _ = partial(id, "ask pipe wire now and", settled: 13, at: 1.9)
        #expect(queue.liveText(of: 1).text == "ask PipeWire now and")
        #expect(queue.liveText(of: 1).settled == 12)
    }

    /// An engine that broke the protocol is not trusted, but its text is better than none.
    @Test func aShownTextIsKeptWhereThePreviewEngineUnderstandsNothing() {
        var live = LivePassage(start: 0)
        live.partial = PassagePartial(text: "one two")
        live.isDistrusted = true
        live.preview = PassagePreview(number: 1, of: live, isShown: false)
        live.preview?.isComplete = true
        #expect(live.fallbackText.text == "one two")
        live.preview?.segments = [Segment(text: "one")]
        #expect(live.fallbackText.text == "one")
    }

    @Test mutating func aConnectionThatHasFailedDoesNotHang() throws {
        let (id, _) = try begin()
        _ = speak(id, 1)
        _ = partial(id, "one", at: 0.9)
        _ = close(id, seconds: 1)
        _ = queue.responds(id, false, &health, at: now)
        // The engine gets the passage once more, as a whole.
        _ = queue.answered(id, .failure(gone), &health, at: now)
        health.described()
        let (next, _) = try begin(at: 40_000)
        _ = speak(next, 0.8)
        #expect(queue.wishes.allSatisfy { $0.passage == id })
    }

    @Test mutating func aTurnOfTheOtherEngineTakesNoWordsAway() throws {
        let (id, _) = try begin()
        _ = speak(id, 2)
        _ = partial(id, "one two", at: 1.7)
        _ = queue.responds(id, false, &health, at: now)
        _ = speak(id, 0.5)
        #expect(live(preview(.hypothesis("to three four"))) == ["one two to three four"])
        #expect(live(preview(.hypothesis("two three"))).isEmpty)
        // The engine is back. It holds the last word back.
        _ = queue.responds(id, true, &health, at: now)
        #expect(live(partial(id, "one two three", at: 2.2)).isEmpty)
        #expect(queue.wishes.isEmpty)
        _ = speak(id, 0.5)
        #expect(live(partial(id, "one two three four five", at: 2.8)) == ["one two three four five"])
        // It may revise its own text.
        #expect(live(partial(id, "one two thirty-four five", at: 2.9)) == ["one two thirty-four five"])
    }

    @Test mutating func thePreviewEngineBeginsThePassageAfterOneInWhichTheEngineWasLate() throws {
        let (id, _) = try begin()
        _ = speak(id, 2)
        _ = partial(id, "one two", at: 1.5)
        _ = speak(id, 3)
        #expect(!queue.wishes.isEmpty)
        _ = close(id, seconds: 5)
        _ = queue.answered(id, .success("One two three."), &health, at: now)
        let (next, _) = try begin(at: 90_000)
        _ = speak(next, 0.5)
        #expect(queue.wishes.map(\.passage) == [next])
        _ = partial(next, "four", at: 0.5)
        #expect(queue.wishes.isEmpty)
    }

    @Test mutating func aLateFinalIsPreparedForAndTheTextIsKept() throws {
        let (id, _) = try begin()
        _ = speak(id, 3)
        _ = partial(id, "one two", at: 2.8)
        _ = close(id, seconds: 3)
        _ = queue.endBlock(1, duration: 3, &health, at: now)
        #expect(queue.wishes.isEmpty)
        now += .seconds(2)
        #expect(try #require(queue.nextDeadline) <= now)
        _ = queue.tick(&health, at: now)
        #expect(queue.wishes.map(\.isClosed) == [true])
        _ = preview(.segment(Segment(text: "two three")))
        #expect(finals(preview(.complete)).isEmpty)
        now += .seconds(3)
        let effects = queue.tick(&health, at: now)
        #expect(effects.contains(.cancel(id)))
        #expect(finals(effects).map { $0.segment?.text } == ["one two three"])
        #expect(effects.contains(.report(.blockEnded(1, duration: 3), 1)))
    }

    @Test mutating func withoutAPreviewEngineTheShownTextIsKept() throws {
        queue = PassageQueue(settings: .init(engine: "whisper", previewEngine: nil), health: health)
        let (id, _) = try begin()
        _ = speak(id, 2)
        _ = partial(id, "eins zwei", at: 1.8)
        _ = close(id, seconds: 2)
        _ = queue.endBlock(1, duration: 2, &health, at: now)
        now += .seconds(45)
        let effects = queue.tick(&health, at: now)
        #expect(finals(effects).map { $0.segment?.text } == ["eins zwei"])
        #expect(effects.contains { if case .report(.passageLost, _) = $0 { true } else { false } })
    }

    /// The second of sound that two passages share is in the text once, although the engine has failed in both.
    @Test mutating func theTextOfALostPassageOverlapsToo() throws {
        queue = PassageQueue(settings: .init(engine: "whisper", previewEngine: nil), health: health)
        let (first, _) = try begin()
        _ = speak(first, 2)
        _ = partial(first, "eins zwei drei", at: 2)
        _ = close(first, seconds: 2)
        let (second, _) = try begin(at: 16_000, overlaps: true)
        _ = speak(second, 2)
        _ = partial(second, "zwei drei vier", at: 2)
        _ = close(second, seconds: 2, overlaps: true)
        now += .seconds(45)
        #expect(finals(queue.tick(&health, at: now)).map { $0.segment?.text } == ["eins zwei drei", "vier"])
    }

    @Test mutating func anEngineThatNeverGivesTextDuringSpeechIsNotWaitedForAgain() throws {
        let (id, _) = try begin()
        _ = speak(id, 4)
        #expect(!queue.wishes.isEmpty)
        _ = close(id, seconds: 4)
        _ = queue.answered(id, .success(PassageAnswer("One.", isSpeech: true)), &health, at: now)
        #expect(queue.wishes.isEmpty)
        let (next, effects) = try begin(at: 80_000)
        #expect(effects.contains(.open(next)))
        #expect(queue.wishes.count == 1)
    }

    @Test mutating func aCancelledBlockClosesItsConnections() throws {
        let (id, _) = try begin()
        _ = speak(id, 1)
        #expect(queue.discard(1, &health, at: now) == [.cancel(id)])
        #expect(queue.wishes.isEmpty)
        #expect(partial(id, "late", at: 1).isEmpty)
    }

    @Test mutating func aFileIsNotSentWhileItIsRead() throws {
        var settings = PassageQueue.Settings(engine: "whisper", previewEngine: "pocketsphinx")
        settings.streams = false
        settings.inputWaits = true
        queue = PassageQueue(settings: settings, health: health)
        let (id, effects) = try begin()
        #expect(effects.isEmpty)
        #expect(speak(id, 10).isEmpty)
        #expect(close(id, seconds: 10).contains { if case .send(id, _, _) = $0 { true } else { false } })
        #expect(queue.wishes.isEmpty)
    }
}
