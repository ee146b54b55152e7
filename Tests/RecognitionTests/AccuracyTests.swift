import DictationCore
import DictationTestKit
import Foundation
import Testing

@testable import Recognition

/// Word error rates on real recordings, compared with PocketSphinx's own program on the same samples. A small set here;
/// with `DICTATION_SOAK_SPEECH` set, all six variants of the recordings.
struct AccuracyTests {
    private static let folder = "/usr/share/pocketsphinx/test/data/librivox/"
    /// Variants of each recording by sox; `-R` makes them reproducible.
    private static let variants: [(name: String, effects: [String])] = [
        ("original", []),
        ("slow", ["speed", "0.95", "rate", "16000"]),
        ("fast", ["speed", "1.05", "rate", "16000"]),
        ("quiet", ["gain", "-12"]),
        ("reverb", ["gain", "-3", "reverb"]),
        ("noise", []),
    ]

    private struct Utterance {
        var reference: String
        var samples: [Int16]
    }

    private static func tool(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(arguments.joined(separator: " "))")
        return data
    }

    private static func utterances(_ variants: some Sequence<(name: String, effects: [String])>) throws
        -> [Utterance]
    {
        let ids = try lines("fileids")
        let references = try lines("transcription").map { line in
            line.replacing(/<\/?s>/, with: "").replacing(/\(.*\)/, with: "")
        }
        return try variants.flatMap { variant in
            try zip(ids, references).map { id, reference in
                let raw = ["-t", "raw", "-r", "16000", "-c", "1", "-b", "16", "-e", "signed", "-"]
                let data = try tool(["sox", "-R", folder + id + ".wav"] + raw + variant.effects)
                var samples = [UInt8](data).samples
                if variant.name == "noise" { samples = try samples.noisy(by: 20, tool) }
                return Utterance(reference: reference, samples: samples)
            }
        }
    }

    private static func lines(_ file: String) throws -> [String] {
        try String(contentsOfFile: folder + file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func isAsAccurateAsPocketSphinxsOwnProgram() throws {
        let isWhole = ProcessInfo.processInfo.environment["DICTATION_SOAK_SPEECH"] != nil
        let speech = try Self.utterances(isWhole ? Self.variants[...] : Self.variants.prefix(1))
        let all = speech.flatMap(\.samples)
        let reference = speech.map(\.reference).joined(separator: " ")

        let file = FileManager.default.temporaryDirectory.appending(path: "speech-\(UUID()).raw")
        defer { try? FileManager.default.removeItem(at: file) }
        try all.withUnsafeBytes { Data($0) }.write(to: file)
        let theirs = try Self.tool(["pocketsphinx_continuous", "-infile", file.path])

        let log = EventLog()
        let transcription = EngineCatalog(engines: [PocketSphinxEngine()]).open(into: log)
        transcription.append(all)
        transcription.endBlock(1)
        #expect(
            log.wait(upTo: .seconds(600)) { $0.contains { if case .blockEnded = $0 { true } else { false } } }
        )
        transcription.close()

        let ours = WordErrorRate(of: log.text(of: 1), reference: reference)
        let bar = WordErrorRate(of: String(decoding: theirs, as: UTF8.self), reference: reference)
        print("\(speech.count) recordings: \(ours); pocketsphinx_continuous: \(bar)")
        #expect(ours.rate <= bar.rate + 0.02, "\(ours); pocketsphinx_continuous: \(bar)")
    }
}

extension [UInt8] {
    fileprivate var samples: [Int16] {
        stride(from: 0, to: count - 1, by: 2).map {
            Int16(truncatingIfNeeded: Int(self[$0]) | Int(self[$0 + 1]) << 8)
        }
    }
}

extension [Int16] {
    private var energy: Double { reduce(0) { $0 + Double($1) * Double($1) } / Double(Swift.max(count, 1)) }

    /// With pink noise this many decibels below.
    fileprivate func noisy(by decibels: Double, _ tool: ([String]) throws -> Data) throws -> [Int16] {
        let format = ["-t", "raw", "-r", "16000", "-c", "1", "-b", "16", "-e", "signed", "-"]
        let seconds = String(Double(count) / 16000)
        let pink = try tool(["sox", "-R", "-n"] + format + ["synth", seconds, "pinknoise"])
        let noise = [UInt8](pink).samples
        let gain = (energy / noise.energy).squareRoot() * pow(10, -decibels / 20)
        return zip(self, noise).map { Int16(clampingSample: Float($0) + Float(Double($1) * gain)) }
    }
}
