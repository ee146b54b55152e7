import Testing

@testable import DictationCore

@Suite struct CleanUpBlockTests {
    private static let rules = CleanUpRules(fillers: ["um"], repeated: ["i"])

    private func listen(_ scenario: inout Scenario) -> SessionID {
        scenario.listen { $0.cleanUp = CleanUp(["en-US": Self.rules], of: "en-US") }
    }

    @Test func theTextIsCleanAndTheFinalHasAllWords() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.say("um i i think", in: session)
        scenario.say("i um think", in: session)
        scenario.say("um", in: session)
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 2)))
        let final = scenario.finals(session).first
        #expect(final?.text == "i think i think")
        #expect(final?.spoken == "um i i think i um think um")
    }

    @Test func liveTextIsCleanTooAndDoesNotChangeWhatFollows() {
        var scenario = Scenario()
        let session = listen(&scenario)
        scenario.handle(.recognition(session, .hypothesis(1, "um i i")))
        scenario.say("um i i think", in: session)
        let texts = scenario.signals(session).compactMap {
            if case .partial(_, _, let stable, let volatile) = $0 {
                stable + "|" + volatile.text
            } else {
                nil
            }
        }
        #expect(texts.first == "|i")
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 2)))
        #expect(scenario.finals(session).map(\.text) == ["i think"])
    }
}
