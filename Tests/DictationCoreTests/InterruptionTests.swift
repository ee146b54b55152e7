import DictationCore
import Testing

@Suite struct InterruptionTests {
    /// Each reason of interruption in the world, its beginning and its end.
    static let worldly: [(Reason, Event, Event)] = [
        (.call, .audio(.inCall), .audio(.desk)),
        (.noSource, .audio(.noSource), .audio(.desk)),
        (.audioServerLost, .audio(.serverLost), .audio(.desk)),
        (.suspend, .seat(SeatFacts(isAsleep: true)), .seat(.present)),
        (.sessionLocked, .seat(SeatFacts(isLocked: true)), .seat(.present)),
        (.sessionInactive, .seat(.unknown), .seat(.present)),
        (
            .permissionLost, .permission(Client.editor.identity, .notDetermined),
            .permission(Client.editor.identity, .granted)
        ),
    ]

    @Test(arguments: worldly)
    func everyReasonClosesTheStreamAndResumes(_ reason: Reason, begin: Event, end: Event) {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(begin)
        #expect(scenario.captures.isEmpty)
        #expect(
            scenario.story(session) == ["Interrupted \(reason.rawValue)", "interrupted (\(reason.rawValue))"])
        scenario.clear()
        scenario.wait(.seconds(1))
        scenario.handle(end)
        #expect(scenario.story(session) == ["interrupted (\(reason.rawValue))"])
        scenario.flow(session)
        #expect(scenario.story(session).suffix(2) == ["Resumed \(reason.rawValue)", "listening (flowing)"])
    }

    @Test(arguments: worldly)
    func repeatedEventsChangeNothing(_ reason: Reason, begin: Event, end: Event) {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(begin)
        scenario.clear()
        scenario.handle(begin)
        #expect(scenario.effects.isEmpty)
        scenario.handle(end)
        scenario.flow(session)
        scenario.clear()
        scenario.handle(end)
        #expect(scenario.effects.isEmpty)
    }

    @Test func resumedNamesTheReasonsAndTheDuration() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.audio(.inCall))
        scenario.wait(.seconds(2))
        scenario.handle(.seat(SeatFacts(isLocked: true)))
        scenario.handle(.audio(.desk))
        scenario.wait(.seconds(1))
        scenario.handle(.seat(.present))
        scenario.clear()
        scenario.flow(session)
        #expect(
            scenario.signals(session).first
                == .resumed(
                    .sessionLocked,
                    EndedInterruption(reasons: [.call, .sessionLocked], duration: 3, rebuilt: [.capture])))
    }

    @Test func reasonsInBetweenAreReportedByState() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.audio(.inCall))
        scenario.clear()
        scenario.handle(.seat(SeatFacts(isLocked: true)))
        scenario.handle(.audio(.desk))
        #expect(
            scenario.signals(session) == [
                .stateChanged(
                    .interrupted, cause: .reason(.sessionLocked), reasons: [.call, .sessionLocked], pending: 0
                ),
                .stateChanged(
                    .interrupted, cause: .reason(.sessionLocked), reasons: [.sessionLocked], pending: 0),
            ])
    }

    @Test func aNewReasonBeforeSoundFlowsSendsNoResumed() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.audio(.inCall))
        scenario.handle(.audio(.desk))
        scenario.clear()
        scenario.handle(.seat(SeatFacts(isLocked: true)))
        scenario.handle(.seat(.present))
        #expect(!scenario.story(session).contains { $0.hasPrefix("Resumed") || $0.hasPrefix("Interrupted") })
        scenario.flow(session)
        #expect(scenario.story(session).filter { $0.hasPrefix("Resumed") } == ["Resumed session-locked"])
    }

    @Test func pauseDuringAnInterruptionLasts() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.audio(.inCall))
        scenario.clear()
        scenario.call(.pause)
        scenario.handle(.audio(.desk))
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(session) == ["paused (paused)"])
    }

    @Test func resumeDuringAnInterruptionStaysInterrupted() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.call(.pause)
        scenario.handle(.audio(.inCall))
        scenario.clear()
        let call = scenario.call(.resume)
        #expect(scenario.answers(to: call) == [.reply(.done)])
        #expect(scenario.story(session) == ["Interrupted call", "interrupted (call)"])
        scenario.clear()
        scenario.call(.resume)
        #expect(scenario.story(session).isEmpty)
    }

    @Test func commitDuringAnInterruptionGivesTheTextSoFar() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("so far", in: session)
        scenario.handle(.audio(.inCall))
        let commit = scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 so far"])
        #expect(scenario.finals(session).map(\.interruptions) == [1])
    }

    @Test func theOwnerLeavingDuringAnInterruptionEndsTheSession() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.audio(.inCall))
        scenario.handle(.clientVanished(Client.editor.name))
        scenario.handle(.audio(.desk))
        #expect(scenario.captures.isEmpty)
        #expect(
            !scenario.effects.contains { if case .signal(.resumed, session, _) = $0 { true } else { false } })
    }

    @Test func stopDuringAnInterruptionSendsStoppedOnly() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.audio(.inCall))
        scenario.clear()
        scenario.call(.stop)
        #expect(scenario.story(session) == ["Stopped stopped"])
    }

    @Test func withoutPermissionTextIsWithheld() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.permission(Client.editor.identity, .notDetermined))
        scenario.say("said before", in: session)
        scenario.wait(.seconds(1))
        let commit = scenario.call(.commit)
        #expect(scenario.answers(to: commit) == [.refused(.permissionRequired)])
        #expect(scenario.state()?.text == "")
        #expect(!scenario.signals(session).contains { if case .partial = $0 { true } else { false } })
        scenario.handle(.permission(Client.editor.identity, .granted))
        #expect(scenario.state()?.text == "said before")
        #expect(scenario.state()?.block == 1)
    }

    @Test func interruptingReasonsAreConfigurable() {
        var settings = Settings()
        settings.interruptingReasons = [.sourceMuted]
        var scenario = Scenario(settings: settings)
        let session = scenario.listen()
        scenario.handle(.audio(.inCall))
        scenario.handle(.seat(SeatFacts(isActive: false, isLocked: true)))
        #expect(scenario.story(session).isEmpty)
        var muted = AudioFacts.desk
        muted.sources[.builtIn]?.isMuted = true
        scenario.handle(.audio(muted))
        #expect(scenario.story(session).first == "Interrupted source-muted")
    }

    @Test func sleepClosesTheStreamBeforeTheInhibitorIsReleased() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.seat(SeatFacts(isAsleep: true)))
        let close = scenario.effects.firstIndex(of: .closeCapture(CaptureID(rawValue: 1), for: session))
        let release = scenario.effects.firstIndex(of: .holdSleepInhibitor(false))
        #expect(close != nil)
        #expect(release == scenario.effects.indices.last)
        #expect((close ?? 0) < (release ?? 0))
        scenario.clear()
        scenario.handle(.seat(.present))
        #expect(scenario.effects.first == .holdSleepInhibitor(true))
        #expect(scenario.capture(of: session) != nil)
    }

    @Test func opensNothingBeforeTheSeatIsKnown() {
        var scenario = Scenario(seat: nil)
        let session = scenario.start()
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(session) == ["starting (started)"])
        scenario.handle(.seat(SeatFacts(isLocked: true)))
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(session).suffix(2).first == "Interrupted session-locked")
        scenario.handle(.seat(.present))
        #expect(scenario.capture(of: session) != nil)
    }

    @Test func readsAFileWithoutAUserAtTheSeat() {
        var scenario = Scenario(seat: nil)
        let session = scenario.start { $0.hasInput = true }
        #expect(scenario.effects.contains(.runInput(session, true)))
    }

    @Test func aWakeWithoutSleepChangesNothing() {
        var scenario = Scenario()
        _ = scenario.listen()
        scenario.handle(.seat(.present))
        #expect(scenario.effects.isEmpty)
    }

    @Test func anInterruptionThatLastsTooLongEndsPaused() {
        var settings = Settings()
        settings.resumeLimits = [.call: .seconds(60)]
        var scenario = Scenario(settings: settings)
        let session = scenario.listen()
        scenario.handle(.audio(.inCall))
        scenario.clear()
        scenario.wait(.seconds(59))
        #expect(scenario.story(session).isEmpty)
        scenario.wait(.seconds(1))
        #expect(scenario.story(session) == ["paused (resume-limit)"])
        scenario.handle(.audio(.desk))
        #expect(scenario.captures.isEmpty)
    }

    @Test func aResumeLimitOfZeroPausesAtOnce() {
        var settings = Settings()
        settings.resumeLimits = [.sessionLocked: .zero]
        var scenario = Scenario(settings: settings)
        let session = scenario.listen()
        scenario.handle(.seat(SeatFacts(isLocked: true)))
        #expect(scenario.story(session).first == "Interrupted session-locked")
        #expect(scenario.story(session).last == "paused (resume-limit)")
    }

    @Test func forgetsALimitThatNoLongerApplies() {
        var settings = Settings()
        settings.resumeLimits = [.call: .seconds(60)]
        var scenario = Scenario(settings: settings)
        let session = scenario.listen()
        scenario.handle(.audio(.inCall))
        scenario.handle(.seat(SeatFacts(isLocked: true)))
        scenario.handle(.audio(.desk))
        scenario.wait(.seconds(3600))
        scenario.handle(.seat(.present))
        #expect(scenario.capture(of: session) != nil)
    }
}
