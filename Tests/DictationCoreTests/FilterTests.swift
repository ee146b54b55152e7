import DictationCore
import Testing

/// A program of the user's gets each final text.
@Suite struct FilterTests {
    private func listen(_ scenario: inout Scenario) -> SessionID { scenario.listen { $0.filter = "improve" } }

    private func end(_ block: BlockNumber, of session: SessionID, _ scenario: inout Scenario) {
        scenario.handle(.recognition(session, .blockEnded(block, duration: 1)))
    }

    private func given(_ scenario: Scenario) -> [String] {
        scenario.effects.compactMap {
            if case .filter(_, _, let text, by: "improve", _) = $0 { text } else { nil }
        }
    }

    @Test func theFinalTextIsThatOfTheProgramAndKeepsTheOtherOne() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("good day", in: session)
        let call = scenario.call(.commit)
        end(1, of: session, &scenario)
        #expect(given(scenario) == ["good day"])
        #expect(scenario.finals(session).isEmpty)
        scenario.handle(.filtered(session, 1, .text("Good day.")))
        #expect(scenario.finals(session).map(\.text) == ["Good day."])
        #expect(scenario.finals(session).map(\.unfiltered) == ["good day"])
        #expect(scenario.answers(to: call).first?.committed == "1 Good day.")
    }

    @Test func aFailureKeepsTheText() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("good day", in: session)
        scenario.call(.commit)
        end(1, of: session, &scenario)
        scenario.handle(.filtered(session, 1, .failed("it exited with status 1")))
        #expect(scenario.finals(session).map(\.text) == ["good day"])
        #expect(scenario.finals(session).map(\.filterFailure) == ["it exited with status 1"])
    }

    @Test func textsStayInOrder() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("one", in: session)
        scenario.call(.commit)
        scenario.say("two", in: session, block: 2)
        scenario.call(.commit)
        end(1, of: session, &scenario)
        end(2, of: session, &scenario)
        scenario.handle(.filtered(session, 2, .text("TWO")))
        #expect(scenario.finals(session).isEmpty)
        scenario.handle(.filtered(session, 1, .text("ONE")))
        #expect(scenario.finals(session).map(\.text) == ["ONE", "TWO"])
    }

    @Test func noTextIsStableBeforeTheProgramHasSeenIt() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("good", in: session)
        scenario.wait(.seconds(1))
        scenario.say("day", in: session)
        scenario.wait(.seconds(1))
        let partials = scenario.signals(session).compactMap { signal -> [String]? in
            if case .partial(_, 0, let stable, let volatile) = signal {
                [stable, volatile.text]
            } else {
                nil
            }
        }
        #expect(partials == [["", "good"], ["", "good day"]])
    }

    @Test func stopWaitsForTheProgramAndShutdownDoesNotLoseTheText() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("good day", in: session)
        scenario.call(.commit)
        end(1, of: session, &scenario)
        scenario.call(.stop)
        #expect(scenario.finals(session).isEmpty && scenario.story(session).last != "Stopped stopped")
        scenario.handle(.shutdown)
        scenario.wait(.seconds(60))
        #expect(scenario.finals(session).map(\.text) == ["good day"])
        #expect(scenario.story(session).last?.hasPrefix("Stopped") == true)
        // Too late, and of no session.
        scenario.handle(.filtered(session, 1, .text("Good day.")))
        #expect(scenario.finals(session).count == 1)
    }

    @Test func emptyTextsAreNotGivenToIt() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.call(.commit)
        end(1, of: session, &scenario)
        #expect(given(scenario).isEmpty && scenario.finals(session).map(\.text) == [""])
    }

    @Test(arguments: [
        ("Good day.\n", "good day", FilteredText.text("Good day.")), ("a\nb\n\n", "a", .text("a\nb\n")),
        ("a\n", "b\n", .text("a\n")), ("a\u{1B}[2J\u{0}b\tc", "a", .text("a[2Jb\tc")),
        ("", "a", .failed("it wrote nothing")), (" \n", "a", .failed("it wrote nothing")),
    ])
    func outputIsTakenWithoutControlCharactersAndTheLastLineFeed(
        output: String, text: String, filtered: FilteredText
    ) {
        #expect(FilteredText(output: Array(output.utf8), of: text) == filtered)
    }

    @Test func outputThatIsNotTextIsAFailure() {
        #expect(FilteredText(output: [0xFF, 0xFE], of: "a") == .failed("it did not write UTF-8"))
    }
}
