import DictationCore
import Testing

/// The computer sleeps for a night. Timeouts use a clock that stops during sleep, so none has passed afterwards.
@Suite struct SleepTests {
    private static let night = Duration.seconds(8 * 3600)

    @Test func aCommitBeforeSleepGetsItsWholeText() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("one", in: session)
        let commit = scenario.call(.commit)
        scenario.sleep(Self.night)
        #expect(scenario.answers(to: commit).isEmpty)
        scenario.say("two", in: session)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 2)))
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 one two"])
    }

    @Test func sleepDoesNotMakeALingeringSessionIdle() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.say("one", in: session)
        scenario.sleep(Self.night)
        scenario.flow(session)
        #expect(scenario.finals(session).isEmpty)
        #expect(scenario.state(of: .editor)?.state == .listening)
        scenario.wait(.seconds(599))
        #expect(scenario.state(of: .editor)?.state == .listening)
        scenario.wait(.seconds(601))
        #expect(scenario.state(of: .editor)?.state == .paused)
    }

    @Test func sleepCountsTowardsTheAgeOfAnInterruption() {
        var settings = Settings()
        settings.resumeLimits = [.suspend: .seconds(3600)]
        for (duration, state) in [(Duration.seconds(60), SessionState.listening), (Self.night, .paused)] {
            var scenario = Scenario(settings: settings)
            let session = scenario.listen()
            scenario.sleep(duration)
            scenario.flow(session)
            #expect(scenario.state(of: .editor)?.state == state)
        }
    }

    @Test func resumedReportsTheElapsedTime() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.sleep(Self.night)
        scenario.flow(session)
        let durations = scenario.signals(session).compactMap {
            if case .resumed(_, let interruption) = $0 { interruption.duration } else { nil }
        }
        #expect(durations == [8.0 * 3600])
    }
}
