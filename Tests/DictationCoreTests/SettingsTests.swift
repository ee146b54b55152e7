import DictationCore
import Testing

/// Settings that change while sessions run.
@Suite struct SettingsTests {
    private func settings(_ change: (inout Settings) -> Void) -> Event {
        var settings = Settings()
        change(&settings)
        return .settings(settings)
    }

    @Test func aReasonThatNoLongerInterruptsEndsItsInterruption() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.audio(.inCall))
        #expect(scenario.captures.isEmpty)
        scenario.handle(settings { $0.interruptingReasons.remove(.call) })
        scenario.flow(session)
        #expect(scenario.story(session).last == "listening (flowing)")
        scenario.handle(settings { _ in })
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(session).last == "interrupted (call)")
    }

    @Test func newCallRulesJudgeThePresentStreams() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.audio(.inCall))
        scenario.handle(settings { $0.callRules = CallRules(roles: [], applications: []) })
        scenario.flow(session)
        #expect(scenario.story(session).last == "listening (flowing)")
        scenario.handle(settings { _ in })
        #expect(scenario.story(session).last == "interrupted (call)")
    }

    @Test func anotherMicrophoneIsUsedAtOnce() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        let session = scenario.listen()
        scenario.handle(settings { $0.route = .usb })
        scenario.flow(session, from: .usb)
        #expect(scenario.captures.count == 1)
        #expect(targets(scenario).last == .usb)
        #expect(scenario.story(session).last == "listening (flowing)")
    }

    @Test func aMicrophoneThatFailedIsTriedAgain() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        scenario.handle(settings { $0.route = .usb })
        let session = scenario.start()
        scenario.handle(.capture(CaptureID(rawValue: 1), .failed(.refused("busy"))))
        scenario.wait(.seconds(1))
        #expect(targets(scenario).last == .some(nil))
        scenario.flow(session)
        scenario.handle(settings { _ in })
        scenario.handle(settings { $0.route = .usb })
        #expect(targets(scenario).last == .usb)
    }

    private func targets(_ scenario: Scenario) -> [NodeName?] {
        scenario.effects.compactMap { if case .openCapture(_, _, let target) = $0 { target } else { nil } }
    }

    @Test func aShorterTimeoutThatHasPassedTakesEffect() {
        var scenario = Scenario()
        let session = scenario.listen { $0.lingers = true }
        scenario.wait(.seconds(30))
        #expect(scenario.captures.count == 1)
        scenario.handle(settings { $0.idlePause = .seconds(20) })
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(session).last?.hasPrefix("paused") == true)
    }
}
