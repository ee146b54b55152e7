import ArgumentParser
import DictationRig
import DictationTestKit
import Foundation
import Glibc

/// What it costs to keep uncommitted text and sound for the service after a crash, beside the same session without that.
struct Journals: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Processor time and memory with and without a journal, at the pace of real time.")

    @Option(help: "Seconds of speech, and of room noise.")
    var seconds = 60.0

    func run() async throws {
        let count = Int(seconds * 16000)
        var random = SplitMix(seed: 1)
        let noise = (0..<count).map { _ in Int16.random(in: -12...12, using: &random) }
        var speech: [Int16] = []
        while speech.count < count { speech += try Speech.amiable() + Speech.silence(1) }
        var bar = Bar("\(seconds.written(0, "s")) each: without a journal, and with one")
        for (name, samples) in [("speech", Array(speech.prefix(count))), ("room noise", noise)] {
            let without = try await cost(of: samples, keeps: false)
            let with = try await cost(of: samples, keeps: true)
            bar.add(name, reference: without.cost, with.cost)
            bar.add("\(name), the journal", reference: "\(without.journal) KiB", "\(with.journal) KiB")
        }
        bar.print()
    }

    /// The cost, and the largest size of the journal in KiB.
    private func cost(of samples: [Int16], keeps: Bool) async throws -> (cost: Cost, journal: Int) {
        let dictation = try await Dictation(hasOrdinaryRights: true)
        let rig = dictation.rig
        let folder = "\(rig.environment["XDG_RUNTIME_DIR", default: ""])/dictation"
        // The daemon does not use a folder that others may use.
        if !keeps { chmod(folder, 0o777) }
        try await rig.restart()
        let (name, microphone) = try await dictation.freshMicrophone(pace: .realTime)
        var (time, journal) = (0.0, 0)
        try await dictation.session(over: name) {
            time = try await dictation.processorTime {
                for second in stride(from: 0, to: samples.count, by: 16000) {
                    try await dictation.say(Array(samples[second...].prefix(16000)), into: microphone)
                    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
                    journal = max(journal, try files.reduce(0) { try $0 + Self.size(of: "\(folder)/\($1)") })
                }
            }
        }
        guard (journal > 0) || !keeps || samples.allSatisfy({ abs(Int($0)) < 100 }) else {
            throw TestFailure("There was no journal.")
        }
        let memory = try dictation.peakMemory()
        try await rig.end()
        return (Cost(share: time / seconds * 100, memory: memory), journal / 1024)
    }

    private static func size(of file: String) throws -> Int {
        var status = stat()
        guard stat(file, &status) == 0 else { throw TestFailure(file) }
        return Int(status.st_size)
    }
}
