import DictationCore
import Testing

@Suite struct ShutdownTests {
    @Test func shutdownStopsSessionsAndAnswersCalls() {
        var scenario = Scenario()
        let first = scenario.listen(by: .editor)
        let second = scenario.listen(by: .terminal) { $0.lingers = true }
        let commit = scenario.call(.commit, by: .terminal)
        let stop = scenario.call(.stop, by: .terminal)
        scenario.clear()
        scenario.handle(.shutdown)
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(first) == ["Stopped shutdown"])
        scenario.handle(.recognition(second, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).count == 1)
        #expect(scenario.answers(to: stop) == [.reply(.done)])
        #expect(!scenario.machine.hasSessions)
        #expect(scenario.machine.nextDeadline == nil)
    }

    @Test func shutdownRefusesNewSessions() {
        var scenario = Scenario()
        scenario.handle(.shutdown)
        scenario.start()
        #expect(scenario.answers(to: CallID(rawValue: 1)) == [.refused(.cancelled)])
    }

    @Test func isIdleWithoutSessionsAndCalls() {
        var scenario = Scenario()
        #expect(scenario.machine.isIdle)
        scenario.call(.subscribe(text: false), by: .terminal)
        #expect(!scenario.machine.isIdle)
        scenario.handle(.clientVanished(Client.terminal.name))
        #expect(scenario.machine.isIdle)
    }
}
