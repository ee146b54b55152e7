import DictationCore
import Testing

@Suite("Call rules")
struct CallRuleTests {
    @Test(arguments: [
        (ForeignCapture(role: "Communication"), true),
        (ForeignCapture(role: "phone"), true),
        (ForeignCapture(application: "Firefox"), true),
        (ForeignCapture(binary: "zoom"), true),
        (ForeignCapture(application: "ZOOM VoiceEngine", role: "Music"), true),
        (ForeignCapture(role: "Communication", isRunning: false), false),
        (ForeignCapture(role: "Communication", capturesMonitor: true), false),
        (ForeignCapture(application: "Audio Recorder", role: "Production"), false),
        (ForeignCapture(), false),
        (ForeignCapture(application: "pw-record", source: .builtIn), false),
        (ForeignCapture(application: "pw-record", source: .headset), true),
        (ForeignCapture(application: "OBS", role: "Communication"), false),
    ])
    func whatIsACall(_ capture: ForeignCapture, _ isCall: Bool) {
        var facts = AudioFacts.facts([.builtIn, .headset], default: .builtIn)
        facts.sources[.headset]?.bluetoothProfile = "headset-head-unit"
        let rules = CallRules(ignoredApplications: ["obs"])
        #expect(rules.callInProgress(in: facts.with(capture)) == isCall)
    }

    @Test func aHeadsetThatLeavesItsCallProfileEndsTheCall() {
        var facts = AudioFacts.facts([.headset], default: .headset).with(ForeignCapture(source: .headset))
        facts.sources[.headset]?.bluetoothProfile = "headset-head-unit"
        #expect(CallRules().callInProgress(in: facts))
        facts.sources[.headset]?.bluetoothProfile = "a2dp-source"
        #expect(!CallRules().callInProgress(in: facts))
    }

    @Test func theCallIsOverWhenNoneIsVisibleHoweverThatCameAbout() {
        for end in [AudioFacts.desk, AudioFacts.desk.with(ForeignCapture(role: "phone", isRunning: false))] {
            var scenario = Scenario(audio: .inCall)
            let session = scenario.start()
            scenario.handle(.audio(end))
            #expect(scenario.capture(of: session) != nil)
        }
    }
}
