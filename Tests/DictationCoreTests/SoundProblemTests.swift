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

    /// With noise suppression the silence is exact, and on a busy machine it is long.
    @Test func silenceIsNoProblemWhileTheUserWaitsForTheText() {
        var scenario = Scenario()
        let session = scenario.listen()
        hear(Self.speech, 2, in: session, &scenario)
        scenario.handle(.recognition(session, .lag(2)))
        hear(Self.zeros, 6, in: session, &scenario)
        scenario.call(.commit)
        scenario.handle(.recognition(session, .lag(0)))
        hear(Self.zeros, 6, in: session, &scenario)
        #expect(told(session, scenario) == [])
        scenario.handle(.recognition(session, .blockEnded(1, duration: 14)))
        hear(Self.zeros, 4.9, in: session, &scenario)
        #expect(told(session, scenario) == [])
        hear(Self.zeros, 0.1, in: session, &scenario)
        #expect(told(session, scenario) == [[.silent]])
    }

    /// As when a stream that delivered nothing on a busy machine is opened again.
    @Test func aMicrophoneThatGaveSoundMayBeSilentAfterItsStreamWasOpenedAgain() {
        var scenario = Scenario()
        let session = scenario.listen()
        hear(Self.speech, 2, in: session, &scenario)
        if let capture = scenario.capture(of: session) { scenario.handle(.capture(capture, .stalled)) }
        scenario.wait(.seconds(1))
        scenario.flow(session)
        hear(Self.zeros, 4, in: session, &scenario)
        #expect(told(session, scenario) == [])
        scenario.handle(.audio(.facts([.usb], default: .usb)))
        scenario.wait(.seconds(1))
        scenario.flow(session, from: .usb)
        hear(Self.zeros, 2, in: session, &scenario)
        #expect(told(session, scenario) == [[.silent]])
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

    // MARK: Channels that cancel each other

    private static let other = SoundMeasure(range: 4000, power: 300_000)

    /// Listens to a silent microphone with two channels until one of them is tried.
    private func tryOneChannel(_ scenario: inout Scenario) -> SessionID {
        let session = scenario.listen()
        scenario.handle(desk { $0.channels = 2 })
        scenario.clear()
        hear(Self.zeros, 1.5, in: session, &scenario)
        #expect(scenario.machine.capturesOneChannel(of: session))
        #expect(scenario.effects.contains { if case .openCapture = $0 { true } else { false } })
        scenario.flow(session)
        return session
    }

    @Test func oneChannelIsUsedWhereAllOfThemCancel() {
        var scenario = Scenario()
        let session = tryOneChannel(&scenario)
        hear(Self.other, 3, in: session, &scenario)
        #expect(told(session, scenario).last == [.antiphase])
        #expect(scenario.machine.capturesOneChannel(of: session))
        // The next stream of the microphone too.
        scenario.call(.pause)
        scenario.call(.resume)
        scenario.flow(session)
        #expect(scenario.machine.capturesOneChannel(of: session))
    }

    /// As of a headset that gives zeros until somebody speaks.
    @Test func speechThatBeginsWhileOneChannelIsTriedIsNoCancellation() {
        var scenario = Scenario()
        let session = tryOneChannel(&scenario)
        hear(Self.zeros, 0.5, in: session, &scenario)
        hear(Self.other, 0.2, in: session, &scenario)
        #expect(!scenario.machine.capturesOneChannel(of: session))
        scenario.flow(session)
        hear(Self.other, 3, in: session, &scenario)
        #expect(!scenario.machine.capturesOneChannel(of: session))
        #expect(!told(session, scenario).contains { $0.contains(.antiphase) })
    }

    @Test func channelsThatCancelAreFoundAfterSilence() {
        var scenario = Scenario()
        let session = tryOneChannel(&scenario)
        hear(Self.zeros, 0.5, in: session, &scenario)
        hear(Self.other, 0.2, in: session, &scenario)
        #expect(!scenario.machine.capturesOneChannel(of: session))
        scenario.flow(session)
        hear(Self.zeros, 1, in: session, &scenario)
        #expect(scenario.machine.capturesOneChannel(of: session))
        scenario.flow(session)
        hear(Self.other, 1, in: session, &scenario)
        #expect(told(session, scenario).last == [.antiphase])
    }

    @Test func allChannelsAreUsedAgainWhereOneHasNoMoreSound() {
        var scenario = Scenario()
        let session = tryOneChannel(&scenario)
        hear(Self.zeros, 2, in: session, &scenario)
        #expect(!scenario.machine.capturesOneChannel(of: session))
        scenario.flow(session)
        // It is not tried again.
        scenario.clear()
        hear(Self.zeros, 20, in: session, &scenario)
        #expect(told(session, scenario) == [[.silent]])
        #expect(!scenario.effects.contains { if case .openCapture = $0 { true } else { false } })
    }

    @Test func oneChannelIsNotTriedOfAMonoOrMutedMicrophone() {
        for isMuted in [false, true] {
            var scenario = Scenario()
            let session = scenario.listen()
            if isMuted {
                scenario.handle(
                    desk {
                        $0.channels = 2
                        $0.isMuted = true
                    })
            }
            hear(Self.zeros, 5, in: session, &scenario)
            #expect(!scenario.machine.capturesOneChannel(of: session))
        }
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
