import ArgumentParser
import DictationInterface
import DictationRig
import DictationTestKit

/// The cost of listening in silence for an ordinary user: neither the daemon nor the recorder beside it may have
/// real-time priority.
struct Silence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Processor time of silence and of room noise while a block is open, at the pace of real time.")

    @Option(help: "Seconds of each.")
    var seconds = 60.0

    func run() async throws {
        let dictation = try await Dictation(hasOrdinaryRights: true)
        let (name, microphone) = try await dictation.freshMicrophone(pace: .realTime)
        var random = SplitMix(seed: 1)
        let noise = (0..<Int(seconds * 16000)).map { _ in Int16.random(in: -12...12, using: &random) }
        let folder = try TemporaryDirectory()
        let nothing = try folder.write("", to: "nothing.raw")
        var bar = Bar("A block open and nobody speaking, \(seconds.written(0, "s"))")
        try await dictation.session(over: name) {
            for (what, samples) in [("silence", Speech.silence(seconds)), ("room noise", noise)] {
                let file = try SpeechSet(name: "quiet", utterances: [.init(reference: "", samples: samples)])
                    .write(into: folder)
                let loading = try await Contender.loop().decode(nothing).processorTime
                let theirs = try await Contender.loop().decode(file).processorTime - loading
                // Another program that records the same source at the same time.
                let recorder = try dictation.rig.audio.record(
                    ["node.target": name], hasOrdinaryRights: true)
                try await eventually("it records") {
                    try await dictation.rig.audio.graph().links(name, to: "pw-record")
                }
                let before = try Dictation.processorTime(of: recorder.pid)
                var decoding = 0.0
                let all = try await dictation.processorTime {
                    decoding = try await dictation.processorTime(of: "decoder") {
                        try await dictation.say(samples, into: microphone)
                    }
                }
                let recording = try Dictation.processorTime(of: recorder.pid) - before
                recorder.kill()
                let share = (theirs / seconds * 100).written(3, "%")
                bar.add(
                    "\(what), decoding", reference: share, decoding / seconds * 100, atMost: 0.03, unit: "%",
                    decimals: 3)
                bar.add(
                    "\(what), the whole daemon beside pw-record",
                    reference: (recording / seconds * 100).written(2, "%"), all / seconds * 100,
                    atMost: 1.5 * recording / seconds * 100, unit: "%", decimals: 2)
            }
        }
        try await dictation.session(over: name) {
            try await dictation.client.dictation.pause()
            try await addWakeUps("paused", dictation, to: &bar)
        }
        try await addWakeUps("no session", dictation, to: &bar)
        bar.print()
        try await dictation.rig.end()
    }

    /// During idleness. Without a service manager there are no watchdog messages.
    private func addWakeUps(_ what: String, _ dictation: Dictation, to bar: inout Bar) async throws {
        // Waits until earlier work has ended.
        try await Task.sleep(for: .seconds(2))
        let wakeUps = try await dictation.wakeUps { try await Task.sleep(for: .seconds(seconds)) }
        func perMinute(_ count: Int) -> Double { Double(count) * 60 / seconds }
        bar.add(
            "\(what), wake-ups a minute", reference: "", perMinute(wakeUps.own), atMost: 0,
            unit: "")
        bar.add(
            "\(what), wake-ups a minute of libdispatch", reference: "",
            perMinute(wakeUps.dispatch).written(1))
    }
}
