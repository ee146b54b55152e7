import DictationCore
import Testing

@Suite struct InputTests {
    private func start(_ scenario: inout Scenario) -> SessionID {
        let session = scenario.start { $0.hasInput = true }
        scenario.handle(.recognition(session, .ready))
        scenario.handle(.captured(session, frames: 16_000))
        scenario.clear()
        return session
    }

    @Test func theEndOfInputIsCommittedAndEndsTheSession() {
        var scenario = Scenario()
        let session = start(&scenario)
        scenario.say("all of it", in: session)
        scenario.handle(.inputEnded(session))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.text) == ["all of it"])
        #expect(scenario.finals(session).map(\.isAutomatic) == [true])
        #expect(scenario.story(session).last == "Stopped end-of-input")
    }

    @Test func microphoneReasonsDoNotInterruptInput() {
        var scenario = Scenario()
        let session = start(&scenario)
        for (reason, begin, _) in InterruptionTests.worldly where reason != .permissionLost {
            scenario.handle(begin)
        }
        _ = scenario.start(by: .terminal)
        #expect(scenario.story(session).isEmpty)
    }

    @Test func pauseStopsReading() {
        var scenario = Scenario()
        let session = start(&scenario)
        scenario.call(.pause)
        #expect(scenario.effects.contains(.runInput(session, false)))
        scenario.call(.resume)
        #expect(scenario.effects.contains(.runInput(session, true)))
        scenario.handle(.captured(session, frames: 160))
        #expect(scenario.state()?.state == .listening)
    }

    @Test func aReadErrorKeepsTheTextSoFar() {
        var scenario = Scenario()
        let session = start(&scenario)
        scenario.say("first half", in: session)
        scenario.handle(.inputFailed(session, Refusal(.unsupportedFormat, "truncated")))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.story(session).first == "Error unsupportedFormat")
        #expect(scenario.finals(session).map(\.text) == ["first half"])
    }

    @Test func anEndWithoutPermissionWaitsForIt() {
        var scenario = Scenario()
        let session = start(&scenario)
        scenario.handle(.permission(Client.editor.identity, .notDetermined))
        scenario.handle(.inputEnded(session))
        #expect(scenario.finals(session).isEmpty)
        #expect(scenario.machine.hasSessions)
        scenario.handle(.permission(Client.editor.identity, .granted))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).count == 1)
        #expect(scenario.story(session).last == "Stopped end-of-input")
    }

    @Test func endOfInputIsIgnoredWithAMicrophone() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.inputEnded(session))
        scenario.handle(.inputFailed(session, Refusal(.unsupportedFormat, "hostile")))
        #expect(scenario.effects.isEmpty)
    }

    @Test func reportsAnEngineLostAtTheEndOfInput() {
        var scenario = Scenario()
        let session = start(&scenario)
        scenario.handle(.inputEnded(session))
        scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
        #expect(scenario.finals(session).isEmpty)
        #expect(scenario.story(session).suffix(2) == ["Error engineFailed", "Stopped end-of-input"])
    }
}
