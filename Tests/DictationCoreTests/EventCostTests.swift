import DictationCore
import Testing

/// Frequent events cost as much with many sessions as with one.
@Suite("Cost of events") struct EventCostTests {
    @Test(arguments: [
        Event.captured(SessionID(rawValue: 1), frames: 320),
        .recognition(SessionID(rawValue: 1), .lag(1)),
        .recognition(SessionID(rawValue: 1), .hypothesis(1, "word")),
        .level(SessionID(rawValue: 1), rms: -40, peak: -20),
    ])
    func anEventCostsNoMoreBesideManySessions(_ event: Event) {
        let alone = cost(of: event, sessions: 1)
        let besideMany = cost(of: event, sessions: 50)
        #expect(besideMany < alone * 2, "\(alone) alone, \(besideMany) beside 49 others")
    }

    /// A partial text is held back until its time has come; then only its session is looked at.
    @Test func textThatWasHeldBackCostsNoMoreBesideManySessions() {
        let alone = costOfText(sessions: 1)
        let besideMany = costOfText(sessions: 50)
        #expect(besideMany < alone * 2, "\(alone) alone, \(besideMany) beside 49 others")
    }

    private func costOfText(sessions: Int) -> Duration {
        var machine = scenario(sessions: sessions).machine
        var told = 0
        let rounds = (0..<20).map { round in
            let start = SuspendingClock.now
            for number in 0..<100 {
                let now = Duration.milliseconds(20 * (100 * round + number))
                let event = Event.recognition(
                    SessionID(rawValue: 1), .hypothesis(1, "word \(number % 10)"))
                told += machine.handle(event, at: Moment(awake: now, elapsed: now)).count
            }
            return start.duration(to: .now)
        }
        #expect(told > 100)
        return rounds.min() ?? .zero
    }

    private func scenario(sessions: Int) -> Scenario {
        var settings = Settings()
        settings.sessionLimit = sessions
        var scenario = Scenario(settings: settings)
        for number in 1...sessions {
            scenario.start(by: Client.editor.reconnected(as: ":2.\(number)"))
        }
        return scenario
    }

    /// The least of several rounds, as others use the machine as well.
    private func cost(of event: Event, sessions: Int) -> Duration {
        var scenario = scenario(sessions: sessions)
        let rounds = (0..<20).map { _ in
            let start = SuspendingClock.now
            for _ in 0..<100 {
                _ = scenario.machine.handle(event, at: Moment(awake: .zero, elapsed: .zero))
            }
            return start.duration(to: .now)
        }
        return rounds.min() ?? .zero
    }

    @Test func countingSoundChangesNothingElse() {
        var scenario = Scenario()
        let session = scenario.listen()
        let deadline = scenario.machine.nextDeadline
        scenario.handle(.captured(session, frames: 320))
        #expect(scenario.effects.isEmpty)
        #expect(scenario.machine.nextDeadline == deadline)
        #expect(scenario.state(of: .editor)?.duration == 0.12)
    }
}
