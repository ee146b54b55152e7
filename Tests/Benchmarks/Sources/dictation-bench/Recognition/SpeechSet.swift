import DictationTestKit
import Foundation

/// Recordings and their text.
struct SpeechSet {
    struct Utterance {
        var reference: String
        var samples: [Int16]
    }

    let name: String
    var utterances: [Utterance]

    var samples: [Int16] { utterances.flatMap(\.samples) }
    var reference: String { utterances.map(\.reference).joined(separator: " ") }
    var seconds: Double { Double(samples.count) / 16000 }

    func errors(in text: String) -> WordErrorRate { WordErrorRate(of: text, reference: reference) }

    /// Writes all samples to one raw file.
    func write(into folder: TemporaryDirectory) throws -> String {
        let path = folder.path(of: "\(name).raw")
        try samples.withUnsafeBytes { Data($0) }.write(to: URL(filePath: path))
        return path
    }
}

extension SpeechSet {
    private static let librivox = "\(WaveFile.speech)/librivox"

    /// The five recordings of Debian's `pocketsphinx-testdata`.
    static func librivox() async throws -> SpeechSet {
        try await SpeechSet(name: "L5", utterances: librivox([]))
    }

    /// The same in six conditions: unchanged, slower, faster, 12 dB down, with reverberation, in pink noise.
    static func conditions() async throws -> SpeechSet {
        var utterances: [Utterance] = []
        for effects in [
            [], ["speed", "0.95", "rate", "16000"], ["speed", "1.05", "rate", "16000"], ["gain", "-12"],
            ["gain", "-3", "reverb"],
        ] {
            utterances += try await librivox(effects)
        }
        for utterance in try await librivox([]) {
            let noisy = try await Sox.addNoise(to: utterance.samples, decibelsBelow: 20)
            utterances.append(Utterance(reference: utterance.reference, samples: noisy))
        }
        return SpeechSet(name: "LB", utterances: utterances)
    }

    private static func librivox(_ effects: [String]) async throws -> [Utterance] {
        let names = try lines(of: "\(librivox)/fileids")
        let references = try lines(of: "\(librivox)/transcription").map { line in
            line.replacing(/<\/?s>/, with: "").replacing(/\(.*\)/, with: "")
        }
        var utterances: [Utterance] = []
        for (name, reference) in zip(names, references) {
            let samples = try await Sox.samples(of: "\(librivox)/\(name).wav", effects)
            utterances.append(Utterance(reference: reference, samples: samples))
        }
        return utterances
    }

    /// Playing cards, numbers and commands over other microphones.
    static func commands() throws -> SpeechSet {
        var utterances: [Utterance] = []
        for line in try lines(of: "\(WaveFile.speech)/cards/cards.transcription") {
            guard let match = line.wholeMatch(of: /<s> (.*?)\s*<\/s> \((\d+)\)/) else { continue }
            let samples = try WaveFile.samples(of: "\(WaveFile.speech)/cards/\(match.2).wav")
            utterances.append(Utterance(reference: String(match.1), samples: samples))
        }
        for (name, reference) in [
            ("numbers", "thirty three four oh six ninety two"), ("goforward", "go forward ten meters"),
            ("something", "go somewhere and do something"),
        ] {
            let samples = try WaveFile.rawSamples(of: "\(WaveFile.speech)/\(name).raw")
            utterances.append(Utterance(reference: reference, samples: samples))
        }
        return SpeechSet(name: "XC", utterances: utterances)
    }

    private static func lines(of path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
