import DictationCore
import Testing

@Suite struct BlockTests {
    /// Puts the Partials together as a client does.
    struct Reader {
        var block: BlockNumber = 0
        var scalars: [Unicode.Scalar] = []
        var volatile = ""
        var text: String { String(String.UnicodeScalarView(scalars)) + volatile }

        mutating func read(_ signals: [SessionSignal]) {
            for case .partial(let block, let offset, let stable, let volatile) in signals {
                if block != self.block { scalars = [] }
                #expect(offset == scalars.count)
                self.block = block
                scalars += stable.unicodeScalars
                self.volatile = volatile.text
            }
        }
    }

    /// All of them may change.
    @Test func wordsOfAHypothesisAreNotSettled() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.recognition(session, .hypothesis(1, "one two")))
        scenario.wait(.seconds(1))
        let settled = scenario.signals(session).compactMap { signal in
            if case .partial(_, _, _, let volatile) = signal { volatile.settled } else { nil }
        }
        #expect(settled == [0])
    }

    @Test func offsetsCountUnicodeScalarsFromTheStartOfTheBlock() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("e\u{301}tude 👩‍🚀", in: session)
        scenario.wait(.seconds(1))
        scenario.say("next", in: session)
        var reader = Reader()
        reader.read(scenario.signals(session))
        #expect(reader.text == "e\u{301}tude 👩‍🚀 next")
        #expect(
            scenario.signals(session) == [
                .partial(1, offset: 0, stable: "e\u{301}tude 👩‍🚀", volatile: ""),
                .partial(1, offset: 10, stable: " next", volatile: ""),
            ])
    }

    @Test func volatileTextIsReplaced() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.recognition(session, .hypothesis(1, "the cat")))
        scenario.wait(.seconds(1))
        scenario.handle(.recognition(session, .hypothesis(1, "the cat sat")))
        scenario.wait(.seconds(1))
        scenario.say("the cats", in: session)
        scenario.wait(.seconds(1))
        scenario.handle(.recognition(session, .hypothesis(1, "sat")))
        #expect(
            scenario.signals(session) == [
                .partial(1, offset: 0, stable: "", volatile: "the cat"),
                .partial(1, offset: 0, stable: "", volatile: "the cat sat"),
                .partial(1, offset: 0, stable: "the cats", volatile: ""),
                .partial(1, offset: 8, stable: "", volatile: " sat"),
            ])
    }

    @Test func mergesPartialsThatComeTooSoon() {
        var scenario = Scenario()
        let session = scenario.listen()
        for word in ["a", "b", "c"] { scenario.say(word, in: session) }
        #expect(scenario.signals(session).count == 1)
        scenario.wait(.milliseconds(50))
        #expect(
            scenario.signals(session) == [
                .partial(1, offset: 0, stable: "a", volatile: ""),
                .partial(1, offset: 1, stable: " b c", volatile: ""),
            ])
    }

    @Test func congestionDelaysPartialsAndNotFinals() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.congestion(true))
        scenario.say("one", in: session)
        scenario.wait(.seconds(1))
        #expect(scenario.signals(session).isEmpty)
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["one"])
        scenario.say("two", in: session, block: 2)
        scenario.clear()
        scenario.handle(.congestion(false))
        #expect(scenario.signals(session) == [.partial(2, offset: 0, stable: "two", volatile: "")])
    }

    @Test func pausesAndInterruptionsKeepTheBlock() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("one", in: session)
        scenario.call(.pause)
        scenario.call(.resume)
        scenario.flow(session)
        scenario.handle(.audio(.inCall))
        scenario.say("two", in: session)
        scenario.handle(.audio(.desk))
        scenario.flow(session)
        scenario.say("three", in: session)
        let report = scenario.state()
        #expect(report?.text == "one two three")
        #expect(report?.block == 1)
    }

    @Test func pausingWhileStartingKeepsWhatWasHeard() {
        var scenario = Scenario()
        let session = scenario.start()
        scenario.flow(session)
        scenario.clear()
        scenario.call(.pause)
        let close = scenario.effects.firstIndex(of: .closeCapture(CaptureID(rawValue: 1), for: session))
        let cut = scenario.effects.firstIndex(of: .transcription(session, .cut))
        #expect(close != nil)
        #expect(cut == close.map { $0 + 1 })
        scenario.handle(.recognition(session, .ready))
        scenario.say("early words", in: session)
        #expect(scenario.state()?.text == "early words")
    }

    @Test func aFailedSegmentKeepsItsHypothesis() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("before", in: session)
        scenario.handle(.recognition(session, .hypothesis(1, "during")))
        scenario.handle(.recognition(session, .segmentFailed(1, message: "lattice")))
        scenario.say("after", in: session)
        let commit = scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.story(session).filter { $0.hasPrefix("Error") } == ["Error engineFailed"])
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 before during after"])
        #expect(scenario.finals(session).first?.problems == ["segment-lost"])
    }

    @Test func sendsLevelsOnRequestAndWhileListeningOnly() {
        var scenario = Scenario()
        let session = scenario.listen { $0.sendsLevels = true }
        scenario.handle(.level(session, SoundLevel(rms: -20, peak: -10)))
        #expect(scenario.signals(session) == [.level(SoundLevel(rms: -20, peak: -10))])
        scenario.call(.pause)
        scenario.clear()
        scenario.handle(.level(session, SoundLevel(rms: -20, peak: -10)))
        #expect(scenario.signals(session).isEmpty)
    }
}
