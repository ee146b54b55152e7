import ArgumentParser
import DBus
import DictationInterface
import DictationRig
import DictationTestKit

/// The memory of one client's dictation.
struct Memory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The most memory that dictating takes, for one client and for four in turn.")

    func run() async throws {
        let set = try await SpeechSet.librivox()
        let folder = try TemporaryDirectory()
        let file = try set.write(into: folder)
        let loop =
            Double(try await Contender.loop("", Contender.daemonsPasses).decode(file).peakMemory) / 1024
        let continuous = Double(try await Contender.continuous.decode(file).peakMemory) / 1024
        let dictation = try await Dictation()
        let microphone = try await dictation.freshMicrophone()
        _ = try await dictation.text(of: set.samples, over: microphone)
        let ours = try dictation.peakMemory()
        for _ in 0..<3 {
            let other = try await TestClient(on: dictation.rig)
            _ = try await other.dictation.start(options: ["route": .string(microphone.0)])
            try await other.state("listening")
            try await dictation.say(set.samples, into: microphone.1)
            _ = try await other.dictation.commit()
            try await other.dictation.stop()
        }
        var bar = Bar("Memory")
        bar.add(
            "one client, against the C loop's \(loop.written(1, "MiB"))",
            reference: "\(continuous.written(1, "MiB")), pocketsphinx_continuous", ours, atMost: 1.1 * loop,
            unit: "MiB")
        bar.add("three more clients in turn", reference: "", try dictation.peakMemory().written(1, "MiB"))
        bar.print()
        try await dictation.rig.end()
    }
}
