import ArgumentParser
import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Glibc

/// What recording costs, beside the same session without it.
struct Recordings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Processor time and memory with and without a recording, at the pace of real time.")

    @Option(help: "Seconds of each.")
    var seconds = 30.0

    func run() async throws {
        var random = SplitMix(seed: 1)
        let noise = (0..<Int(seconds * 16000)).map { _ in Int16.random(in: -12...12, using: &random) }
        let without = try await cost(of: noise, quality: nil)
        var bar = Bar("\(seconds.written(0, "s")) of room noise: without a recording, and with one")
        for quality in ["low", "medium", "high"] {
            bar.add(quality, reference: without, try await cost(of: noise, quality: quality))
        }
        bar.print()
    }

    /// - Parameter quality: of the recording; nil for none.
    private func cost(of samples: [Int16], quality: String?) async throws -> Cost {
        // A new daemon for each, because the peak of memory stays.
        let dictation = try await Dictation(hasOrdinaryRights: true)
        let (name, microphone) = try await dictation.freshMicrophone(pace: .realTime)
        let folder = try TemporaryDirectory()
        var options: [BusText: Value] = [:]
        if let quality {
            let opened = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard opened >= 0 else { throw TestFailure(folder.path) }
            options["record"] = .descriptor(Descriptor(owning: opened))
            options["quality"] = .string(BusText(quality))
        }
        var time = 0.0
        try await dictation.session(over: name, options) {
            time = try await dictation.processorTime { try await dictation.say(samples, into: microphone) }
        }
        let memory = try dictation.peakMemory()
        try await dictation.rig.end()
        return Cost(share: time / seconds * 100, memory: memory)
    }
}
