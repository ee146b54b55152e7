import DictationCore
import Testing

/// Blocks in written form. The table here is tiny: what is said in a real language is tested with its file.
@Suite struct WrittenBlockTests {
    private static let table: LanguageTable = {
        var table = LanguageTable(language: "x")
        table.numbers[.digit] = ["one": 1, "five": 5]
        table.numbers[.tens] = ["twenty": 20]
        table.marks = [
            (
                "Marks",
                [
                    .init(spoken: ["stop"], written: ".", spacing: .sentence),
                    .init(spoken: ["new line"], written: "\n", spacing: .lineBreak),
                ]
            )
        ]
        table.commands = [
            .init(.scratch, spoken: ["scratch that"]), .init(.newBlock, spoken: ["next block"]),
            .init(.stop, spoken: ["the end"]),
        ]
        return table
    }()

    private func listen(_ scenario: inout Scenario, phrases: [String] = []) -> SessionID {
        let lexicon = Lexicon(Self.table, clientPhrases: phrases)
        return scenario.listen { $0.formatting = Formatting(lexicon) }
    }

    @Test func textIsWrittenAndWordsThatDependOnOthersAreVolatile() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.handle(
            .recognition(session, .segment(1, Segment(text: "hello stop we are twenty", isCut: true))))
        scenario.wait(.seconds(1))
        scenario.handle(.recognition(session, .hypothesis(1, "five")))
        scenario.wait(.seconds(1))
        scenario.say("five", in: session)
        #expect(
            scenario.signals(session) == [
                .partial(1, offset: 0, stable: "Hello. We are", volatile: " 20"),
                .partial(1, offset: 13, stable: "", volatile: " 25"),
                .partial(1, offset: 13, stable: " 25", volatile: ""),
            ])
    }

    @Test func textDuringSpeechHasItsWrittenFormWhicheverEngineGivesIt() {
        let spoken = "twenty five stop"
        let texts = [RecognitionEvent.hypothesis(1, spoken), .live(1, LiveText(spoken))].map { event in
            var scenario = Scenario()
            let session = listen(&scenario)
            scenario.handle(.recognition(session, event))
            return scenario.state()?.text
        }
        #expect(texts[0] == texts[1] && texts[1]?.hasPrefix("25") == true, "\(texts)")
    }

    @Test func aPauseWritesHeldWords() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("twenty", in: session)
        scenario.say("five", in: session)
        #expect(scenario.state()?.text == "20 five")
    }

    private func stableText(_ session: SessionID, _ scenario: Scenario) -> String {
        scenario.signals(session).map { if case .partial(_, _, let stable, _) = $0 { stable } else { "" } }
            .joined()
    }

    private func segment(_ text: String, _ start: Double, _ end: Double) -> RecognitionEvent {
        .segment(1, Segment(text: text, start: start, end: end))
    }

    @Test(arguments: [(1.3, "We are 25"), (1.8, "We are 20 five")])
    func aNumberGoesOnAfterAShortPauseOnly(start: Double, text: String) {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.handle(.recognition(session, segment("we are twenty", 0, 1)))
        scenario.handle(.recognition(session, segment("five", start, start + 0.5)))
        #expect(scenario.state()?.text == text)
    }

    @Test func aLongSilenceWritesHeldWords() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.handle(.recognition(session, .speechBegan(1, at: 0)))
        scenario.handle(.recognition(session, .speechEnded(1, at: 1)))
        scenario.handle(.recognition(session, segment("we are twenty", 0, 1)))
        scenario.wait(.milliseconds(600))
        #expect(stableText(session, scenario) == "We are")
        scenario.wait(.milliseconds(200))
        #expect(stableText(session, scenario) == "We are 20")
    }

    /// The recogniser is slower than the speaker: the silence is not over because no text came.
    @Test func heldWordsWaitForTheTextOfSpeech() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.handle(.recognition(session, .speechEnded(1, at: 1)))
        scenario.handle(.recognition(session, segment("we are twenty", 0, 1)))
        scenario.handle(.recognition(session, .speechBegan(1, at: 1.3)))
        scenario.wait(.seconds(2))
        scenario.handle(.recognition(session, .speechEnded(1, at: 3)))
        scenario.wait(.seconds(2))
        #expect(stableText(session, scenario) == "We are")
        scenario.handle(.recognition(session, segment("five", 1.3, 3)))
        #expect(scenario.state()?.text == "We are 25")
    }

    @Test func aPauseBetweenWordsSeparatesThem() {
        var scenario = Scenario()
        let session = listen(&scenario)
        let words = [
            Word("one", start: 0, end: 0.3), Word("day", start: 0.3, end: 0.6),
            Word("scratch", start: 1.6, end: 1.8), Word("that", start: 1.8, end: 2),
        ]
        scenario.handle(
            .recognition(session, .segment(1, Segment(text: "one day scratch that", words: words, end: 2))))
        #expect(scenario.state()?.text == "")
    }

    @Test func aCommitWritesHeldWordsAndHasTheSpokenWords() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.handle(.recognition(session, .segment(1, Segment(text: "we are twenty", isCut: true))))
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["We are 20"])
        #expect(scenario.finals(session).map(\.spoken) == ["we are twenty"])
    }

    @Test func detailsHaveSpokenWordsInsteadOfMarkTokens() {
        var scenario = Scenario()
        let session = listen(&scenario)
        let words = [Word("day", start: 0, end: 1), Word("\\new_line", start: 1, end: 2)]
        let segment = Segment(
            text: "day \\new_line", words: words, alternatives: [Alternative("a \\stop", score: 1)])
        scenario.handle(.recognition(session, .segment(1, segment)))
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        let block = scenario.finals(session).first
        #expect(block?.text == "Day\n")
        #expect(block?.spoken == "day new line")
        #expect(block?.segments.map(\.text) == ["day new line"])
        #expect(block?.segments.first?.words.map(\.text) == ["day", "new line"])
        #expect(block?.segments.first?.alternatives.map(\.text) == ["a stop"])
    }

    @Test func takingBackSentTextSendsRetracted() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("one day", in: session)
        scenario.wait(.seconds(1))
        scenario.say("two days", in: session)
        scenario.wait(.seconds(1))
        scenario.clear()
        scenario.say("scratch that", in: session)
        scenario.say("three days", in: session)
        scenario.wait(.seconds(1))
        #expect(
            scenario.signals(session) == [
                .retracted(1, offset: 7, scalars: 9),
                .partial(1, offset: 7, stable: " three days", volatile: ""),
            ])
        #expect(scenario.state()?.text == "One day three days")
    }

    @Test func retractingUnsentTextSendsNothing() {
        var scenario = Scenario()
        let session = scenario.listen {
            $0.formatting = Formatting(Lexicon(Self.table))
            $0.sendsPartials = false
        }
        scenario.say("one day", in: session)
        scenario.say("scratch that", in: session)
        #expect(scenario.signals(session) == [])
        #expect(scenario.state()?.text == "")
    }

    @Test func anEmptyBlockTakesBackFromTheOneBefore() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("one day", in: session)
        scenario.say("two days", in: session)
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        scenario.clear()
        scenario.say("scratch that", in: session, block: 2)
        #expect(scenario.signals(session) == [.retracted(1, offset: 7, scalars: 9)])
        #expect(scenario.state()?.finals.map(\.text) == ["One day"])
        scenario.say("scratch that", in: session, block: 2)
        scenario.say("scratch that", in: session, block: 2)
        #expect(scenario.state()?.finals.map(\.text) == [""])
    }

    /// However many utterances it has. The oldest ones are taken back together.
    @Test func theBeginningOfABlockCanBeTakenBack() {
        var form = WrittenForm(Lexicon(Self.table))
        for _ in 0..<100 { _ = form.append(SpokenText("hello")) }
        let length = form.length
        var retracted = 0
        var commands = 0
        while let count = form.takeBack() {
            retracted += count
            commands += 1
        }
        #expect(retracted == length)
        #expect(form.length == 0)
        #expect(commands == 63)
        #expect(form.append(SpokenText("scratch that")) == [.retractEarlier])
    }

    @Test func aRegisteredPhraseFollowsTheTextBeforeIt() {
        var scenario = Scenario()
        let session = listen(&scenario, phrases: ["send it"])
        scenario.say("hello", in: session)
        scenario.say("you", in: session)
        scenario.say("send it", in: session)
        #expect(
            scenario.signals(session) == [
                .partial(1, offset: 0, stable: "Hello", volatile: ""),
                .partial(1, offset: 5, stable: " you", volatile: ""), .command("send it"),
            ])
        #expect(scenario.state()?.text == "Hello you")
    }

    @Test func aBlockAndASessionAreEndedByVoice() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("one day", in: session)
        scenario.say("next block", in: session)
        #expect(scenario.effects.contains(.transcription(session, .endBlock(1))))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["One day"])
        scenario.say("five days", in: session, block: 2)
        scenario.say("the end", in: session, block: 2)
        scenario.handle(.recognition(session, .blockEnded(2, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["One day", "Five days"])
        #expect(scenario.story(session).last == "Stopped stopped")
    }

    @Test func endingByVoiceGivesTheMicrophoneToTheNextSession() {
        var scenario = Scenario()
        let first = scenario.listen(by: .terminal)
        let second = listen(&scenario)
        scenario.say("one day", in: second)
        scenario.say("the end", in: second)
        // The commit is still in progress.
        #expect(scenario.finals(second).isEmpty)
        #expect(scenario.capture(of: second) == nil)
        #expect(scenario.capture(of: first) != nil)
        #expect(scenario.machine.properties.state == .interrupted)
        let told = scenario.signals(second).last
        #expect(told == .stateChanged(.paused, cause: .stopped, reasons: [], pending: 1))
    }

    @Test func anInterruptedSessionThatIsEndedByVoiceHasNoReasons() {
        var scenario = Scenario()
        let first = listen(&scenario)
        let second = scenario.listen(by: .terminal)
        scenario.say("one day", in: first)
        scenario.say("the end", in: first)
        let told = scenario.signals(first).last
        #expect(told == .stateChanged(.paused, cause: .stopped, reasons: [], pending: 1))
        #expect(scenario.capture(of: second) != nil)
    }

    private func listenTwice(_ scenario: inout Scenario, phrases: [String] = []) -> SessionID {
        let lexicon = Lexicon(Self.table, clientPhrases: phrases)
        return scenario.listen {
            $0.formatting = Formatting(lexicon, punctuatingEngines: ["whisper"])
            $0.transcription.engine = "whisper"
            $0.transcription.previewEngine = "fake"
        }
    }

    private func preview(_ text: String, in session: SessionID, _ scenario: inout Scenario) {
        scenario.handle(.recognition(session, .preview(1, Segment(text: text))))
    }

    private func passage(
        _ text: String?, by engine: String = "whisper", isCut: Bool = false, in session: SessionID,
        _ scenario: inout Scenario
    ) {
        let segment = text.map { Segment(text: $0, isCut: isCut) }
        scenario.handle(
            .recognition(session, .passage(1, PassageText(replaces: 1, segment: segment, engine: engine))))
    }

    @Test func aPassageIsWrittenByTheRulesOfItsLanguage() {
        var german = LanguageTable(language: "de")
        german.commands = [.init(.scratch, spoken: ["streich das"])]
        var english = LanguageTable(language: "en")
        english.commands = [.init(.scratch, spoken: ["scratch that"])]
        let formatting = Formatting(
            Lexicon(english), of: "en-US", others: ["de-DE": Lexicon(german)], punctuatingEngines: ["whisper"]
        )
        var scenario = Scenario()
        let session = scenario.listen {
            $0.formatting = formatting
            $0.transcription.engine = "whisper"
        }
        func passage(_ text: String, _ language: String) {
            let text = PassageText(
                replaces: 0, segment: Segment(text: text), engine: "whisper", language: language)
            scenario.handle(.recognition(session, .passage(1, text)))
        }
        passage("Good morning.", "en-US")
        passage("Guten Tag.", "de-DE")
        passage("Scratch that.", "de-DE")
        #expect(scenario.state()?.text == "Good morning. Guten Tag. Scratch that.")
        passage("Streich das.", "de-DE")
        #expect(scenario.state()?.text == "Good morning. Guten Tag.")
        passage("Streich das.", "en-US")
        #expect(scenario.state()?.text == "Good morning. Guten Tag. Streich das.")
        passage("Scratch that.", "en-US")
        #expect(scenario.state()?.text == "Good morning. Guten Tag.")
        // Text that is not final is written likewise.
        scenario.handle(.recognition(session, .live(1, LiveText("streich das", language: "de-DE"))))
        #expect(scenario.state()?.text == "Good morning. Guten Tag.")
    }

    @Test func aPunctuatedPassageKeepsItsMarksAndReplacesAWrittenPreview() {
        var scenario = Scenario()
        let session = listenTwice(&scenario)
        preview("we are twenty five stop", in: session, &scenario)
        #expect(scenario.state()?.text == "We are 25.")
        passage("We are twenty-five.", in: session, &scenario)
        #expect(scenario.state()?.text == "We are 25.")
        preview("and one stop", in: session, &scenario)
        #expect(scenario.state()?.text == "We are 25. And one.")
        passage("And one stop.", in: session, &scenario)
        scenario.wait(.seconds(1))
        #expect(scenario.state()?.text == "We are 25. And one.")
    }

    @Test func theTextOfAPreviewThatStaysGetsCapitals() {
        var scenario = Scenario()
        let session = listenTwice(&scenario)
        preview("x", in: session, &scenario)
        passage("Hello.", in: session, &scenario)
        preview("we are twenty five", in: session, &scenario)
        passage(nil, by: "fake", in: session, &scenario)
        #expect(scenario.state()?.text == "Hello. We are 25")
    }

    @Test func aPassageCutInSpeechHoldsUndecidedWords() {
        var scenario = Scenario()
        let session = listenTwice(&scenario)
        preview("x", in: session, &scenario)
        passage("We are twenty", isCut: true, in: session, &scenario)
        preview("x", in: session, &scenario)
        passage("five now", in: session, &scenario)
        #expect(scenario.state()?.text == "We are 25 now")
    }

    @Test func aPunctuatedSentenceIsAnUtterance() {
        var scenario = Scenario()
        let session = listenTwice(&scenario, phrases: ["send it"])
        preview("x", in: session, &scenario)
        passage("Hello there. Send it. I said send it.", in: session, &scenario)
        #expect(scenario.signals(session).contains(.command("send it")))
        #expect(scenario.state()?.text == "Hello there. I said send it.")
    }

    @Test func retractionsOfAFinishedBlockWaitForPermission() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("one day", in: session)
        scenario.say("two days", in: session)
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        scenario.permit(.denied)
        scenario.clear()
        scenario.say("scratch that", in: session, block: 2)
        #expect(scenario.retractions(session) == [])
        scenario.say("scratch that", in: session, block: 2)
        scenario.permit(.granted)
        #expect(scenario.retractions(session) == [.retracted(1, offset: 0, scalars: 16)])
    }

    @Test func retractionsOfTheBlockWaitForPermission() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("one day", in: session)
        scenario.say("two days", in: session)
        scenario.wait(.seconds(1))
        scenario.permit(.denied)
        scenario.clear()
        scenario.say("scratch that", in: session)
        scenario.say("three days", in: session)
        scenario.wait(.seconds(1))
        #expect(scenario.retractions(session) == [])
        scenario.permit(.granted)
        scenario.wait(.seconds(1))
        let text = scenario.signals(session).filter { signal in
            switch signal {
            case .retracted, .partial: true
            default: false
            }
        }
        #expect(
            text == [
                .retracted(1, offset: 7, scalars: 9),
                .partial(1, offset: 7, stable: " three days", volatile: ""),
            ])
    }

    @Test func aFailedSegmentKeepsItsHypothesisInWrittenForm() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.handle(.recognition(session, .hypothesis(1, "we are twenty")))
        scenario.handle(.recognition(session, .segmentFailed(1, message: "lattice")))
        scenario.say("five", in: session)
        #expect(scenario.state()?.text == "We are 20 five")
    }
}

extension Scenario {
    fileprivate mutating func permit(_ status: PermissionStatus) {
        handle(.permission(Client.editor.identity, Permission(microphone: status, speech: status)))
    }

    fileprivate func retractions(_ session: SessionID) -> [SessionSignal] {
        signals(session).filter { if case .retracted = $0 { true } else { false } }
    }
}
