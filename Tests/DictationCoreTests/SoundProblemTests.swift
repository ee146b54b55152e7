import DictationCore
import Testing

@Suite struct SoundProblemTests {
    private static let zeros = SoundMeasure(range: 0, power: 0)
    private static let speech = SoundMeasure(range: 8000, power: 1_000_000)
    private static let clipped = SoundMeasure(range: 65535, clipped: 200, power: 1e8)

    private func hear(
        _ measure: SoundMeasure, _ seconds: Double, in session: SessionID, _ scenario: inout Scenario
    ) {
        for _ in 0..<Int(seconds * 10) { scenario.handle(.captured(session, frames: 1600, [measure])) }
    }

    private func told(_ session: SessionID, _ scenario: Scenario) -> [[InputProblem]] {
        scenario.signals(session).compactMap {
            if case .problemsChanged(let problems) = $0 { problems } else { nil }
        }
    }

    private func desk(_ change: (inout Source) -> Void) -> Event {
        var facts = AudioFacts.desk
        for name in facts.sources.keys {
            facts.sources[name].map { source in
                var source = source
                change(&source)
                facts.sources[name] = source
            }
        }
        return .audio(facts)
    }

    @Test func aProblemIsToldWhenItBeginsAndWhenItEnds() {
        var scenario = Scenario()
        let session = scenario.listen()
        hear(Self.zeros, 3, in: session, &scenario)
        #expect(told(session, scenario) == [[.silent]])
        #expect(scenario.state()?.problems == [.silent])
        hear(Self.speech, 1, in: session, &scenario)
        #expect(told(session, scenario) == [[.silent], []])
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 4)))
        #expect(scenario.finals(session).map(\.problems) == [["input-silent"]])
    }

    @Test func aMutedMicrophoneIsToldAtOnceAndOnlyAsMuted() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(desk { $0.isMuted = true })
        hear(Self.zeros, 3, in: session, &scenario)
        scenario.handle(desk { $0.isMuted = false })
        #expect(told(session, scenario) == [[.muted], [.silent]])
    }

    @Test func aVolumeOfZeroIsTold() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(desk { $0.hasNoVolume = true })
        scenario.handle(desk { $0.hasNoVolume = false })
        #expect(told(session, scenario) == [[.noVolume], []])
    }

    @Test func nothingIsWrongWhileNothingIsCaptured() {
        var scenario = Scenario()
        let session = scenario.listen()
        hear(Self.clipped, 2, in: session, &scenario)
        scenario.call(.pause)
        #expect(told(session, scenario) == [[.clipping], []])
        // The next stream begins without the problems of the last.
        scenario.call(.resume)
        scenario.flow(session)
        hear(Self.speech, 0.3, in: session, &scenario)
        #expect(told(session, scenario) == [[.clipping], []])
    }

    @Test func aFileWithSilenceAtItsBeginningIsNotSilent() {
        var scenario = Scenario()
        let session = scenario.start { $0.hasInput = true }
        scenario.handle(.recognition(session, .ready))
        hear(Self.zeros, 8, in: session, &scenario)
        hear(Self.clipped, 1, in: session, &scenario)
        scenario.handle(.inputEnded(session))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 9)))
        #expect(told(session, scenario) == [[.clipping], []])
        #expect(scenario.finals(session).map(\.problems) == [["clipping"]])
    }

    @Test func aFileWithoutAnySoundIsSilent() {
        var scenario = Scenario()
        let session = scenario.start { $0.hasInput = true }
        scenario.handle(.recognition(session, .ready))
        hear(Self.zeros, 8, in: session, &scenario)
        scenario.handle(.inputEnded(session))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 8)))
        #expect(scenario.finals(session).map(\.problems) == [["input-silent"]])
    }
}
