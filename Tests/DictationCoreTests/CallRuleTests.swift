import DictationCore
import Testing

@Suite struct CallRuleTests {
    @Test(arguments: [
        (OtherCapture(role: "Communication"), true),
        (OtherCapture(role: "phone"), true),
        (OtherCapture(application: "Firefox"), true),
        (OtherCapture(binary: "zoom"), true),
        (OtherCapture(application: "ZOOM VoiceEngine", role: "Music"), true),
        (OtherCapture(role: "Communication", isRunning: false), false),
        (OtherCapture(role: "Communication", capturesMonitor: true), false),
        (OtherCapture(application: "Audio Recorder", role: "Production"), false),
        (OtherCapture(), false),
        (OtherCapture(application: "pw-record", source: .builtIn), false),
        (OtherCapture(application: "pw-record", source: .headset), true),
        (OtherCapture(application: "OBS", role: "Communication"), false),
    ])
    func whatIsACall(_ capture: OtherCapture, _ isCall: Bool) {
        var facts = AudioFacts.facts([.builtIn, .headset], default: .builtIn)
        facts.sources[.headset]?.bluetoothProfile = "headset-head-unit"
        let rules = CallRules(ignoredApplications: ["obs"])
        #expect(rules.callInProgress(in: facts.with(capture)) == isCall)
    }

    @Test func leavingTheHeadsetProfileEndsTheCall() {
        var facts = AudioFacts.facts([.headset], default: .headset).with(OtherCapture(source: .headset))
        facts.sources[.headset]?.bluetoothProfile = "headset-head-unit"
        #expect(CallRules().callInProgress(in: facts))
        facts.sources[.headset]?.bluetoothProfile = "a2dp-source"
        #expect(!CallRules().callInProgress(in: facts))
    }

    @Test func callEndsWhenNoCallIsVisible() {
        for end in [AudioFacts.desk, AudioFacts.desk.with(OtherCapture(role: "phone", isRunning: false))] {
            var scenario = Scenario(audio: .inCall)
            let session = scenario.start()
            scenario.handle(.audio(end))
            #expect(scenario.capture(of: session) != nil)
        }
    }
}
