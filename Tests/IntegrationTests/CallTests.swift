import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// A call gets the microphone, whatever kind of call it is and however it ends; other captures do not interrupt.
@Suite struct CallTests {
    enum End: CaseIterable { case exit, kill }

    private func expectInterruption(
        on rig: Rig, _ call: () throws -> ChildProcess, end: (ChildProcess) -> Void
    ) async throws {
        let microphone = try await rig.plugIn()
        let client = try await TestClient.listening(on: rig)
        try await client.hears(500, from: microphone, on: rig)
        let before = try await rig.usageAtRest(afterPausing: client)
        let call = try call()
        try await client.comes("Interrupted call")
        try await eventually("the stream is gone") { try await !rig.isCapturing() }
        end(call)
        try await client.comes("Resumed call")
        try await client.hears(900, from: microphone, on: rig)
        #expect(client.story == ["Interrupted call", "Resumed call"])
        #expect(try await client.dictation.commit().text == "t500 t900")
        try await rig.expectAsBefore(before)
    }

    @Test(arguments: End.allCases) func aPulseAudioCallInterruptsUntilItEnds(_ end: End) async throws {
        try await withRig(tones) { rig in
            let pulse = try await PulseServer(on: rig.audio)
            try await expectInterruption(on: rig) {
                try pulse.record(["media.role": "phone"])
            } end: {
                end == .kill ? $0.kill() : $0.terminate()
            }
        }
    }

    @Test func aListedApplicationIsACallWithoutARole() async throws {
        try await withRig(tones) { rig in
            let pulse = try await PulseServer(on: rig.audio)
            try await expectInterruption(on: rig) {
                try pulse.record(["application.name": "ZOOM VoiceEngine"])
            } end: {
                $0.terminate()
            }
        }
    }

    @Test func aCallOnHoldDoesNotInterrupt() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            let call = try CorkableRecorder(
                on: rig.audio, ["media.role": "Communication", "node.name": "call"])
            try await client.comes("Interrupted call")
            call.cork(true)
            try await client.comes("Resumed call")
            try await client.hears(500, from: microphone, on: rig)
            #expect(try await rig.audio.nodeCount("call") == 1)
            call.cork(false)
            try await client.comes("Interrupted call", times: 2)
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            call.cork(true)
            try await client.comes("Resumed call", times: 2)
            try await client.hears(900, from: microphone, on: rig)
        }
    }

    @Test func otherRecordersDoNotInterrupt() async throws {
        try await withRig(tones + "calls:\n  ignored: [Zoom recorder]\n") { rig in
            let microphone = try await rig.plugIn()
            try await rig.audio.addSink("speakers")
            let client = try await TestClient.listening(on: rig)
            let pulse = try await PulseServer(on: rig.audio)
            let tone = rig.audio.directory.path(of: "alarm.wav")
            try WaveFile.write(Speech.tone(700, seconds: 60), to: tone)
            let others = [
                try rig.audio.record(["node.name": "plain"]),
                try rig.audio.record(
                    role: "Communication", ["node.name": "monitor", "stream.capture.sink": "true"]),
                try rig.audio.record(
                    role: "Communication", ["node.name": "ignored", "application.name": "Zoom recorder"]),
                try rig.start([
                    "pw-play", "--media-role", "Communication", "--target", "speakers", "-P",
                    "{ node.name = alarm }", tone,
                ]),
                try pulse.record(["node.name": "pulse", "media.role": "production"]),
            ]
            for name in ["plain", "monitor", "ignored", "alarm", "pulse"] {
                try await eventually("\(name) runs") {
                    try await rig.audio.graph().nodes(named: name).contains { $0.state == "running" }
                }
            }
            try await client.hears(900, from: microphone, on: rig)
            #expect(client.story.isEmpty)
            for other in others { other.kill() }
        }
    }

    @Test func startDuringACallOpensNothing() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let call = try rig.audio.record(role: "Communication", ["node.name": "call"])
            try await eventually("the call runs") {
                try await rig.audio.graph().nodes(named: "call").contains { $0.state == "running" }
            }
            let client = try await TestClient(on: rig)
            // The daemon knows the call when it knows later events.
            try await rig.plugIn("later")
            _ = try await client.dictation.start(options: [:])
            try await client.comes("Interrupted call")
            #expect(try await !rig.isCapturing())
            #expect(
                !client.signals.contains {
                    if case .stateChanged(_, "listening", _, _) = $0 { true } else { false }
                })
            call.kill()
            try await client.comes("Resumed call")
            try await client.hears(900, from: microphone, on: rig)
        }
    }
}
