import Testing

@testable import Typing

@Suite struct TypistTests {
    @Test func liveTextIsClearedInTheTurnOfTheCommit() {
        var desk = TypingDesk()
        desk.partial("hello")
        desk.partial("hello world")
        #expect(desk.shown == ["Hello", "Hello world"])
        let effects = desk.handle(.final(block: 1, text: "hello world", hasInitialCapital: false))
        #expect(
            effects == [
                .perform(.clear), .perform(.commit("Hello world", token: 1)),
                .wait(token: 1, TypingLimits.commitGap),
            ])
        desk.take("Hello world")
        #expect(desk.states == [.arrived])
    }

    @Test func longTextIsTypedInPiecesOneAfterTheOther() {
        var desk = TypingDesk()
        let text = String(repeating: "wörter ", count: 500) + "ende"
        desk.final(text)
        #expect(desk.commits.count == 1)
        desk.run()
        #expect(desk.commits.count == 2)
        #expect(desk.commits.allSatisfy { $0.utf8.count <= TypingLimits.commitBytes })
        #expect(desk.text == "W" + text.dropFirst())
        #expect(desk.states == [.arrived])
    }

    /// A terminal does not report its text.
    @Test func theNextDictationContinuesAfterTheText() {
        var first = TypingDesk(.terminal)
        first.handle(.final(block: 1, text: "one", hasInitialCapital: false))
        first.elapse()
        for (field, text) in [
            (TextField.terminal, " two"), (TextField(id: "other", visit: 9, purpose: .terminal), "two"),
        ] {
            var next = TypingDesk(field, recalling: first.typist.typedEnd)
            next.handle(.final(block: 1, text: "two", hasInitialCapital: false))
            #expect(next.commits == [text])
        }
    }

    @Test func nextPieceFollowsAfterATimeWhereTheFieldTellsNothing() {
        var desk = TypingDesk(.terminal)
        desk.final(String(repeating: "a ", count: 2499) + "a")
        #expect(desk.commits.count == 1)
        desk.elapse()
        #expect(desk.commits.count == 2)
        desk.elapse()
        #expect(desk.states == [.sent])
    }

    @Test func textArrivedIfEachPieceDid() {
        var desk = TypingDesk(.entry("a"))
        desk.final(String(repeating: "b ", count: 1999) + "b")
        desk.elapse()
        #expect(desk.commits.count == 1)
        desk.elapse()
        #expect(desk.commits.count == 2)
        desk.take(desk.commits[1])
        #expect(desk.states == [.sent])
    }

    @Test func routeThatReportsCommitsIsWaitedFor() {
        var desk = TypingDesk(.entry(nil, abilities: .commitReports, commitLimit: 4))
        desk.final("one two")
        #expect(desk.commits == ["one "])
        desk.handle(.committed(token: 99, .arrived))
        #expect(desk.commits.count == 1)
        desk.handle(.committed(token: 1, .arrived))
        #expect(desk.commits == ["one ", "two"])
        desk.handle(.committed(token: 2, .refused))
        #expect(desk.states == [.kept(.refused)])
    }

    /// The route reports whether all was typed before the focus moved.
    @Test(arguments: [
        (Arrival.refused, TypingOutcome.State.kept(.left)), (.unknown, .sent),
    ])
    func reportIsWaitedForWhenTheFocusMoves(_ arrival: Arrival, _ state: TypingOutcome.State) {
        var desk = TypingDesk(.entry(nil, abilities: .commitReports))
        desk.final("one")
        desk.focus(.entry(nil, id: "other", visit: 2, abilities: .commitReports))
        desk.final("two", block: 3)
        #expect(desk.states.isEmpty && desk.commits == ["one"])
        desk.handle(.committed(token: 1, arrival))
        #expect(desk.states == [state])
        #expect(desk.commits == ["one", "two"])
    }

    @Test func textThatIsStillTypedIsKeptWhenAllEnds() {
        var desk = TypingDesk(.entry(nil, abilities: .commitReports))
        desk.final("one")
        desk.handle(.end)
        #expect(desk.typist.isBusy)
        desk.focus(nil)
        #expect(desk.states == [.kept(.left)])
    }

    /// Nothing reports the commit any more.
    @Test(arguments: [
        ("one", TypingOutcome.State.doubtful), ("one two three", .kept(.refused)),
    ])
    func commitInProgressIsSettledWhenTheRouteIsLost(_ text: String, _ state: TypingOutcome.State) {
        var desk = TypingDesk(.entry(nil, abilities: .commitReports, commitLimit: 4))
        desk.final(text)
        desk.handle(.lost)
        #expect(desk.states == [state])
        #expect(desk.outcomes.first?.text == text)
        #expect(!desk.typist.isBusy)
        desk.handle(.committed(token: 1, .unknown))
        desk.handle(.end)
        #expect(desk.states == [state])
    }

    /// It is recognised by the text that it has now.
    @Test func aCommitGoesOnInAFieldThatReturns() {
        var desk = TypingDesk(.entry("", abilities: .commitReports, commitLimit: 4))
        desk.final("one two")
        desk.focus(text: "Subject")
        var home = desk.field
        desk.focus(.entry("", id: "other", visit: 2))
        home?.visit = 3
        desk.focus(home)
        desk.handle(.committed(token: 1, .arrived))
        #expect(desk.commits == ["One ", "two"])
    }

    @Test func nothingIsTypedAfterTheRouteIsLost() {
        var desk = TypingDesk()
        desk.partial("one")
        desk.handle(.lost)
        desk.final("one")
        #expect(desk.commits.isEmpty && desk.states == [.kept(.left)])
    }

    /// The application has changed what was typed.
    @Test func textWithoutItsSpacesHasNotArrived() {
        var desk = TypingDesk()
        desk.final("two words")
        desk.take("Twowords")
        #expect(desk.states.isEmpty)
        desk.take(" two\nwords")
        #expect(desk.states.isEmpty)
        desk.elapse()
        desk.elapse()
        #expect(desk.states == [.sent])
    }

    @Test func finishedAndCancelledTextsAreNotKeptAtTheEnd() {
        var desk = TypingDesk()
        desk.partial("one")
        desk.final("one")
        desk.run()
        desk.partial("oops", block: 2)
        desk.partial("also", block: 3)
        desk.handle(.cancelled(block: 2))
        desk.handle(.cancelled(block: 3))
        desk.partial(" ", block: 4)
        desk.handle(.end)
        #expect(desk.states == [.arrived])
    }

    @Test func passwordFieldsGetNothing() {
        for field in [
            TextField.entry(purpose: .password), .entry(purpose: .pin), .entry(isSensitive: true),
            .entry("●●●●●●●●"),
        ] {
            var desk = TypingDesk(field)
            desk.partial("secret")
            desk.final("secret")
            desk.run()
            #expect(desk.commits.isEmpty && desk.shown.isEmpty)
            #expect(desk.states == [.kept(.password)])
            #expect(desk.outcomes.first?.text == "")
            // Words that are not final when the dictation ends were for the same field.
            desk.partial("unfinished", block: 2)
            desk.handle(.end)
            #expect(desk.states.last == .kept(.password))
        }
    }

    /// So that its text can be withheld from everybody.
    @Test func whatIsSaidForAPasswordFieldSharesNoBlock() {
        var desk = TypingDesk()
        desk.partial("one")
        #expect(desk.handle(.field(.entry(id: "other", visit: 2, purpose: .password))).contains(.split))
        desk.final("one")
        desk.partial("pass", block: 2)
        // Also while no field has the focus.
        #expect(desk.handle(.field(nil)).contains(.split))
        desk.handle(.withheld(block: 2))
        desk.focus(.entry(visit: 3))
        desk.run()
        desk.final("two", block: 3)
        desk.run()
        #expect(desk.commits == ["One", " two"])
        #expect(
            desk.outcomes.map { "\($0.block) \($0.text) \($0.state)" } == [
                "1 one kept(Typing.TypingOutcome.Reason.left)",
                "2  kept(Typing.TypingOutcome.Reason.password)", "1 one arrived", "3 two arrived",
            ])
    }

    @Test func theBlockOfARestoredDictationIsNotTyped() {
        var desk = TypingDesk()
        desk.handle(.restored(block: 4))
        desk.partial("here", block: 4)
        desk.partial("next", block: 5)
        desk.final("where", block: 4)
        desk.final("here", block: 5)
        desk.run()
        #expect(desk.commits == ["Here"] && !desk.shown.contains("Here"))
        #expect(desk.states == [.kept(.restarted), .arrived])
    }

    /// Each text of a dictation has a name of its own, also after a failure of the service.
    @Test(arguments: [false, true])
    func theTextsOfARestoredDictationAreNumberedAfterThoseBefore(isLost: Bool) {
        var before = TypingDesk()
        for block in 1...3 {
            before.final("text", block: UInt64(block))
            before.run()
        }
        let used = before.outcomes.map(\.id)
        #expect(used == [1, 2, 3])
        var after = TypingDesk()
        after.handle(isLost ? .restored(block: 4) : .begin(block: 4))
        for block in 4...6 {
            after.final("text", block: UInt64(block))
            after.run()
        }
        let new = after.outcomes.map(\.id)
        #expect(Set(new).count == 3 && new == new.sorted())
        #expect(Set(new).isDisjoint(with: used))
    }

    @Test func otherFieldGetsNothingOfASentence() {
        for other in [
            TextField.entry(id: "other", visit: 2), .entry(visit: 2, place: CursorPlace(x: 0, y: 40)),
            .entry("x", visit: 2), .entry(visit: 2, purpose: .terminal),
        ] {
            var desk = TypingDesk()
            desk.partial("one")
            desk.focus(other)
            desk.partial("one two")
            #expect(desk.shown == ["One"])
            desk.final("one two")
            desk.run()
            #expect(desk.commits.isEmpty)
            #expect(desk.states == [.kept(.left)])
        }
    }

    @Test func fieldWithAnIdentityIsRecognisedWhateverItsText() {
        let abilities: TextField.Abilities = [.liveText, .identity]
        var desk = TypingDesk(.entry("Said: ", abilities: abilities))
        desk.partial("one")
        desk.focus(.entry(id: "other", visit: 2, abilities: abilities))
        desk.final("one two")
        desk.focus(.entry("Changed: ", visit: 3, place: nil, abilities: abilities))
        desk.run()
        #expect(desk.text == "Changed: one two")
    }

    @Test func typingContinuesAfterTheEnd() {
        var desk = TypingDesk()
        desk.final(String(repeating: "word ", count: 1499) + "word")
        desk.handle(.end)
        #expect(desk.typist.isBusy)
        desk.run()
        #expect(desk.commits.count == 3)
        #expect(desk.states == [.arrived])
        #expect(!desk.typist.isBusy)
    }

    @Test func restOfATextStaysOutOfAnotherField() {
        var desk = TypingDesk()
        desk.final(String(repeating: "word ", count: 1499) + "word")
        desk.focus(.entry(id: "other", visit: 2))
        desk.elapse()
        #expect(desk.commits.count == 1)
        #expect(desk.states == [.kept(.left)])
    }

    @Test func blocksAreSpaced() {
        for field in [TextField.entry(), .terminal] {
            var desk = TypingDesk(field)
            desk.final("one")
            desk.final("two", block: 2)
            desk.run()
            #expect(desk.commits.joined().lowercased() == "one two")
        }
    }

    @Test func textThatWaitsIsBounded() {
        var desk = TypingDesk()
        for number in 1...40 as ClosedRange<UInt64> {
            desk.focus(.entry(id: "field \(number)", visit: 2 * number))
            let block = desk.typist.current?.block ?? 0
            desk.partial("one", block: block)
            desk.focus(.entry(id: "other", visit: 2 * number + 1))
            desk.final("one two", block: block)
        }
        #expect(desk.typist.waiting.count == TypingLimits.waiting)
        #expect(Set(desk.outcomes.map(\.id)) == Set(1...40))
    }

    @Test func surroundingTextIsBounded() {
        let long = SurroundingText(String(repeating: "a", count: 100_000), cursor: 50_000)
        #expect(long.text.count == 2 * TypingLimits.surroundingScalars)
        #expect(long.cursor == TypingLimits.surroundingScalars)
        #expect(SurroundingText("abc", cursor: .max).cursor == 3)
        #expect(SurroundingText("abc", cursor: -1).cursor == 0)
    }
}
