import Testing

@testable import DictationCore

/// What is said while a field for a password has the focus.
@Suite struct SecretFieldTests {
    private func commit(_ session: SessionID, _ block: BlockNumber, _ scenario: inout Scenario) -> CallID {
        let call = scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(block, duration: 1)))
        return call
    }

    private func texts(_ session: SessionID, _ scenario: Scenario) -> [String] {
        scenario.signals(session).compactMap {
            switch $0 {
            case .partial(_, _, let stable, let volatile): stable + volatile.text
            case .final(let block): block.text
            case .command(let phrase): phrase
            default: nil
            }
        }
    }

    @Test func nobodyGetsTheText() throws {
        var scenario = Scenario()
        let session = scenario.listen {
            $0.mayKeepTexts = true
            $0.filter = "tee"
        }
        scenario.call(.secretField(true))
        scenario.say("hunter2", in: session)
        scenario.handle(.recognition(session, .hypothesis(1, "or so")))
        scenario.wait(.seconds(1))
        let report = scenario.state()
        #expect(report?.text == "")
        #expect(scenario.machine.uncommitted(of: session).map(\.isWithheld) == [true])
        let call = commit(session, 1, &scenario)
        #expect(scenario.answers(to: call).map(\.committed) == ["1 "])
        let final = try #require(scenario.finals(session).first)
        #expect(final.isWithheld && final.segments.isEmpty && final.spoken == nil)
        let sent = texts(session, scenario).joined()
        #expect(sent == "")
        let given = scenario.effects.contains {
            switch $0 {
            case .keep, .filter: true
            default: false
            }
        }
        #expect(!given)
    }

    @Test func theNextFieldsTextIsSent() {
        var scenario = Scenario()
        let session = scenario.listen { $0.mayKeepTexts = true }
        scenario.say("one", in: session)
        // The block for the field before, and then the field: as typing does it.
        let first = scenario.call(.commit)
        scenario.call(.secretField(true))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        scenario.say("hunter2", in: session, block: 2)
        scenario.call(.secretField(false))
        let second = commit(session, 2, &scenario)
        scenario.say("two", in: session, block: 3)
        let third = commit(session, 3, &scenario)
        #expect(
            [first, second, third].flatMap { scenario.answers(to: $0).map(\.committed) } == [
                "1 one", "2 ", "3 two",
            ])
    }

    @Test func aBlockWithoutSpeechIsNotWithheld() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.call(.secretField(true))
        _ = commit(session, 1, &scenario)
        #expect(scenario.finals(session).map(\.isWithheld) == [false])
    }
}
