import ArgumentParser
import DictationRig
import DictationTestKit
import Foundation

/// An hour of audio, in one session and in pieces.
struct LongFile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "file",
        abstract: "A long file in one session and in twelve: its text, its time, and what it leaves behind.")

    @Option(help: "Minutes of speech.")
    var minutes = 60.0

    private static let pieces = 12

    func run() async throws {
        let set = try await SpeechSet.conditions()
        var speech: [SpeechSet.Utterance] = []
        var seconds = 0.0
        while seconds < minutes * 60 {
            let next = set.utterances[speech.count % set.utterances.count]
            // Pauses between recordings, as in reading aloud.
            speech.append(.init(reference: next.reference, samples: next.samples + Speech.silence(0.4)))
            seconds += Double(next.samples.count) / 16000 + 0.4
        }
        let whole = SpeechSet(name: "whole", utterances: speech)
        let share = (speech.count + Self.pieces - 1) / Self.pieces
        let parts = stride(from: 0, to: speech.count, by: share).enumerated().map { number, start in
            SpeechSet(name: "part-\(number)", utterances: Array(speech[start...].prefix(share)))
        }
        let dictation = try await Dictation()
        let folder = try TemporaryDirectory()

        var texts: [String] = []
        for part in parts { texts.append(try await transcribe(part, dictation, folder)) }
        let before = try dictation.rig.usage()
        let peakBefore = try dictation.peakMemory()
        let clock = ContinuousClock()
        let began = clock.now
        var text = ""
        let work = try await dictation.processorTime { text = try await transcribe(whole, dictation, folder) }
        let elapsed = (clock.now - began) / .milliseconds(1) / 1000
        let after = try dictation.rig.usage()
        let growth = Double(after.kibibytes - before.kibibytes) / 1024
        let peakGrowth = try dictation.peakMemory() - peakBefore
        try await dictation.rig.end()

        let inOne = whole.errors(in: text).rate * 100
        let inPieces = whole.errors(in: texts.joined(separator: " ")).rate * 100
        var bar = Bar("A file of \((seconds / 60).written(0, "minutes"))")
        bar.add(
            "word errors against the same in \(parts.count) files",
            reference: inPieces.written(2, "%"), abs(inOne - inPieces), atMost: 1, unit: "points", decimals: 2
        )
        bar.add("word errors", reference: "", inOne.written(2, "%"))
        bar.add("growth of memory", reference: "", growth, atMost: 5, unit: "MiB")
        bar.add("growth of its peak", reference: "", peakGrowth.written(1, "MiB"))
        bar.add(
            "descriptors and threads", reference: "\(before.descriptors), \(before.threads)",
            "\(after.descriptors), \(after.threads)")
        bar.add("times as fast as time", reference: "", (seconds / elapsed).written(1))
        bar.add("processors at work", reference: "", (work / elapsed).written(2))
        bar.print()
    }

    private func transcribe(
        _ set: SpeechSet, _ dictation: Dictation, _ folder: TemporaryDirectory
    ) async throws -> String {
        let path = folder.path(of: "\(set.name).wav")
        try WaveFile.write(set.samples, to: path)
        defer { unlink(path) }
        let result = try await ChildProcess.run(
            [executable("dictation-cli"), "transcribe", path], environment: dictation.rig.environment,
            within: .seconds(7200))
        guard result.status == .exited(0) else { throw TestFailure("\(set.name): \(result.errors)") }
        return result.output.replacing("\n", with: " ")
    }
}
