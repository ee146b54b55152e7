import DictationCore
import Testing

@Suite struct MissingDefaultTests {
    private func targets(_ scenario: Scenario) -> [NodeName?] {
        scenario.effects.compactMap { if case .openCapture(_, _, let target) = $0 { target } else { nil } }
    }

    private func facts(default defaultSource: NodeName?) -> AudioFacts {
        var facts = AudioFacts.facts([.builtIn, .usb], default: defaultSource)
        facts.sources[.builtIn]?.priority = 1000
        facts.sources[.usb]?.priority = 2000
        return facts
    }

    @Test func usesTheHighestPriorityWithoutADefault() {
        var scenario = Scenario(audio: facts(default: nil))
        let session = scenario.start()
        #expect(scenario.story(session) == ["Interrupted no-source", "interrupted (no-source)"])
        scenario.wait(.seconds(1))
        #expect(targets(scenario) == [.usb])
        scenario.flow(session, from: .usb)
        #expect(scenario.story(session).suffix(2) == ["Resumed no-source", "listening (flowing)"])
    }

    @Test func waitsForADefaultThatFollowsItsSource() {
        var scenario = Scenario(audio: facts(default: nil))
        let session = scenario.start()
        scenario.wait(.milliseconds(900))
        scenario.handle(.audio(facts(default: .builtIn)))
        scenario.wait(.seconds(2))
        #expect(targets(scenario).first == .some(nil))
        #expect(scenario.capture(of: session) != nil)
    }

    @Test func followsTheDefaultAgain() {
        var scenario = Scenario(audio: facts(default: nil))
        let session = scenario.start()
        scenario.wait(.seconds(1))
        scenario.flow(session, from: .usb)
        scenario.clear()
        scenario.handle(.audio(facts(default: .builtIn)))
        #expect(targets(scenario) == [nil])
        scenario.flow(session)
        let changes = scenario.signals(session).compactMap {
            if case .routeChanged(let reason, _, _) = $0 { reason } else { nil }
        }
        #expect(changes == [.defaultChanged])
    }

    @Test func keepsTheStreamWhoseSourceBecomesTheDefault() {
        var scenario = Scenario(audio: facts(default: nil))
        let session = scenario.start()
        scenario.wait(.seconds(1))
        scenario.flow(session, from: .usb)
        scenario.clear()
        scenario.handle(.audio(facts(default: .usb)))
        #expect(scenario.effects.isEmpty)
        scenario.handle(.audio(facts(default: .builtIn)))
        #expect(targets(scenario) == [nil])
    }

    @Test func triesEachSourceInTurn() {
        var scenario = Scenario(audio: facts(default: nil))
        let session = scenario.start()
        scenario.wait(.seconds(1))
        for _ in 1...4 {
            guard let capture = scenario.capture(of: session) else { break }
            scenario.handle(.capture(capture, .failed(.refused("busy"))))
            scenario.wait(.seconds(1))
        }
        #expect(targets(scenario) == [.usb, .builtIn, .usb, .builtIn, .usb])
        #expect(scenario.story(session).filter { $0.hasPrefix("Error") }.count == 1)
    }

    @Test func keepsAStreamThatIsBeingMoved() {
        var scenario = Scenario(audio: facts(default: .usb))
        let session = scenario.start()
        scenario.flow(session, from: .usb)
        scenario.clear()
        scenario.handle(.audio(.facts([.builtIn], default: nil)))
        scenario.handle(.audio(.desk))
        scenario.handle(.capture(CaptureID(rawValue: 1), .linked(.builtIn)))
        #expect(scenario.story(session).isEmpty)
        #expect(scenario.capture(of: session) == CaptureID(rawValue: 1))
    }

    @Test func reopensAStreamThatIsNotMoved() {
        var scenario = Scenario(audio: facts(default: .usb))
        let session = scenario.start()
        scenario.flow(session, from: .usb)
        scenario.clear()
        scenario.handle(.audio(.facts([.builtIn], default: nil)))
        scenario.wait(.seconds(1))
        #expect(targets(scenario) == [.builtIn])
    }

    @Test func aSelectedMicrophoneIsOpenedAtOnce() {
        var scenario = Scenario(audio: facts(default: nil))
        let session = scenario.start { $0.route = .builtIn }
        #expect(scenario.capture(of: session) != nil)
        scenario.wait(.seconds(2))
        #expect(targets(scenario) == [.builtIn])
    }
}
