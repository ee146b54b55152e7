import DictationCore
import Testing

@Suite struct StartTests {
    @Test func levelsAreSentToThoseWhoAskForThem() {
        var scenario = Scenario()
        let quiet = scenario.listen(by: .editor)
        let measured = scenario.listen(by: .terminal) { $0.sendsLevels = true }
        #expect(!scenario.machine.sendsLevels(of: quiet) && scenario.machine.sendsLevels(of: measured))
    }

    @Test func theReplyPrecedesEverySignal() {
        var scenario = Scenario()
        let session = scenario.start()
        #expect(scenario.effects.first == .reply(CallID(rawValue: 1), .started(session)))
        #expect(scenario.story(session) == ["starting (started)"])
    }

    @Test func aPresentReasonFollowsTheReply() {
        var scenario = Scenario(audio: .inCall)
        let session = scenario.start()
        #expect(scenario.effects.first == .reply(CallID(rawValue: 1), .started(session)))
        #expect(scenario.story(session) == ["Interrupted call", "interrupted (call)"])
        #expect(scenario.captures.isEmpty)
    }

    @Test func captureBeginsBeforeTheModelIsLoaded() {
        var scenario = Scenario()
        let session = scenario.start()
        scenario.flow(session)
        #expect(scenario.story(session).last == "listening (flowing)")
    }

    @Test func listeningIsReportedWhenSoundFlows() {
        var scenario = Scenario()
        let session = scenario.start()
        scenario.handle(.recognition(session, .ready))
        #expect(scenario.state()?.state == .starting)
        scenario.flow(session)
        #expect(scenario.state()?.state == .listening)
    }

    @Test func opensNothingBeforeTheAudioServerIsKnown() {
        var scenario = Scenario(audio: nil)
        let session = scenario.start()
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(session) == ["starting (started)"])
        scenario.handle(.audio(.desk))
        #expect(scenario.capture(of: session) != nil)
    }

    @Test func aConnectionHasOneSession() {
        var scenario = Scenario()
        _ = scenario.listen()
        scenario.start()
        #expect(scenario.answers(to: CallID(rawValue: 2)) == [.refused(.alreadyRunning)])
    }

    @Test func aStoppingSessionAllowsTheNext() {
        var scenario = Scenario()
        let first = scenario.listen()
        scenario.call(.commit)
        scenario.call(.stop)
        let second = scenario.start()
        #expect(scenario.capture(of: second) != nil)
        scenario.handle(.recognition(first, .blockEnded(1, duration: 1)))
        #expect(scenario.story(first).last == "Stopped stopped")
        #expect(scenario.state()?.session == second)
    }

    @Test func theNumberOfSessionsIsLimited() {
        var settings = Settings()
        settings.sessionLimit = 1
        var scenario = Scenario(settings: settings)
        _ = scenario.listen()
        scenario.start(by: .terminal)
        #expect(scenario.answers(to: CallID(rawValue: 2)) == [.refused(.limitExceeded)])
    }

    @Test func callsWithoutASessionAreRefused() {
        var scenario = Scenario()
        for request in [Request.pause, .resume, .commit, .cancel, .stop] {
            let call = scenario.call(request)
            #expect(scenario.answers(to: call) == [.refused(.notRunning)])
        }
        #expect(scenario.state()?.state == .idle)
    }

    @Test func anotherClientsSessionIsRefused() {
        var scenario = Scenario()
        _ = scenario.listen()
        let call = scenario.call(.commit, by: .terminal)
        #expect(scenario.answers(to: call) == [.refused(.notRunning)])
    }

    @Test func theOwnerLeavingClosesTheMicrophone() {
        var scenario = Scenario()
        let session = scenario.listen()
        let commit = scenario.call(.commit)
        scenario.clear()
        scenario.handle(.clientVanished(Client.editor.name))
        #expect(scenario.captures.isEmpty)
        #expect(scenario.answers(to: commit).isEmpty)
        #expect(scenario.signals(session).isEmpty)
        #expect(!scenario.machine.hasSessions)
        #expect(scenario.effects.contains(.discard(session)))
    }

    @Test func ignoresEventsOfAnEndedSession() {
        var scenario = Scenario()
        let session = scenario.listen()
        let capture = CaptureID(rawValue: 1)
        scenario.call(.stop)
        scenario.clear()
        scenario.handle(.capture(capture, .flowing))
        scenario.handle(.capture(capture, .failed(.serverLost)))
        scenario.handle(.captured(session, frames: 160))
        scenario.handle(.recognition(session, .segment(1, Segment(text: "late"))))
        scenario.handle(.inputEnded(session))
        #expect(scenario.effects.isEmpty)
    }

    @Test func subscribersGetNoTextOfSessionsTheyDoNotControl() {
        var scenario = Scenario()
        scenario.call(.subscribe(text: true), by: .terminal)
        let session = scenario.listen()
        scenario.say("secret", in: session)
        scenario.call(.pause)
        #expect(
            scenario.audience(of: session) { if case .partial = $0 { true } else { false } }
                == [.clients([Client.editor.name])])
        #expect(
            scenario.audience(of: session) { if case .stateChanged = $0 { true } else { false } }
                == [.clients([Client.editor.name, Client.terminal.name])])
    }

    @Test func aBroadcastSessionSignalsEveryone() {
        var scenario = Scenario()
        let session = scenario.listen { $0.broadcasts = true }
        scenario.say("hello", in: session)
        scenario.call(.stop)
        #expect(Set(scenario.audience(of: session) { _ in true }) == [.everyone])
    }
}
