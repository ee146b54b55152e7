import ArgumentParser
import DictationCore
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Recognition

/// Instructions of decoding, which do not depend on other load on the machine.
struct Instructions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Instructions of decoding, counted by valgrind, without those of loading.")

    func run() async throws {
        let folder = try TemporaryDirectory()
        let once = try await SpeechSet.librivox()
        var twice = SpeechSet(name: "twice", utterances: once.utterances + once.utterances)
        twice.utterances.append(SpeechSet.Utterance(reference: "", samples: Speech.silence(0.5)))
        let files = [
            try folder.write("", to: "nothing.raw"), try once.write(into: folder),
            try twice.write(into: folder),
        ]
        /// Of the first run, without loading, and of the second.
        func count(_ contender: Contender) async throws -> (first: Double, second: Double) {
            var counts: [Double] = []
            for file in files { counts.append(try await Self.instructions(of: contender.command(file))) }
            return (counts[1] - counts[0], counts[2] - counts[1])
        }
        let loop = try await count(.loop("", Contender.daemonsPasses))
        let continuous = try await count(.continuous)
        let ours = try await count(
            Contender(name: "recogniser") { [executable("dictation-bench"), "recognition", "decode", $0] })
        var bar = Bar("Instructions of decoding L5, loading apart")
        bar.add("the bare C loop, the daemon's passes", reference: "", (loop.second / 1e9).written(2, "G"))
        bar.add(
            "pocketsphinx_continuous as shipped", reference: "", (continuous.second / 1e9).written(2, "G"))
        bar.add(
            "against the C loop, known microphone", reference: "1.000", ours.second / loop.second,
            atMost: 1.02, unit: "", decimals: 3)
        bar.add(
            "against the C loop, unknown microphone", reference: "",
            (ours.first / loop.first).written(3) + ", its first words decoded twice")
        bar.add(
            "against pocketsphinx_continuous", reference: "1.00", ours.second / continuous.second,
            atMost: 0.85,
            unit: "", decimals: 2)
        bar.print()
    }

    private static func instructions(of command: [String]) async throws -> Double {
        let result = try await Measured.run(
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"] + command)
        let line = result.errors.split(separator: "\n").first { $0.contains("I   refs:") }
        guard let digits = line?.split(separator: ":").last?.filter(\.isNumber), let count = Double(digits)
        else {
            throw TestFailure("valgrind counts nothing: \(result.errors.suffix(300))")
        }
        return count
    }
}

/// Recognises a raw file without the daemon, for valgrind.
struct Decode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the text of a raw file, recognised in this process.", shouldDisplay: false)

    @Argument(help: "S16LE mono at 16 kHz.")
    var file: String

    func run() async throws {
        let samples = try WaveFile.rawSamples(of: file)
        let text = Lock("")
        let ended = Lock(false)
        let engine = PocketSphinxEngine()
        let request = TranscriptionRequest(engine: engine.name, language: "en-US")
        let transcriber = EngineCatalog(engines: [engine]).open(request) { event in
            switch event {
            case .segment(_, let segment): text.withLock { $0 += segment.text + "\n" }
            case .blockEnded, .engineLost: ended.withLock { $0 = true }
            default: break
            }
        }
        transcriber.append(samples)
        transcriber.endBlock(1)
        try await eventually("the file is decoded", within: .seconds(3600)) { ended.withLock { $0 } }
        print(text.withLock { $0 }, terminator: "")
    }
}
