import DictationTestKit
import Foundation

extension SpeechSet {
    /// Twenty sentences by espeak-ng, always the same.
    static func spoken() async throws -> SpeechSet {
        var utterances: [Utterance] = []
        for sentence in sentences.prefix(20) {
            let samples = try await speak(sentence, ["espeak-ng", "-v", "en-us", "-s", "160", "-w"])
            utterances.append(utterance(sentence, samples + silence(0.5)))
        }
        return SpeechSet(name: "ES", utterances: utterances)
    }

    /// Other sentences. The seed chooses voices, speeds and room noise.
    static func fresh(seed: UInt64) async throws -> SpeechSet {
        try await voiced(sentences.dropFirst(20), count: 24, seed: seed, name: "fresh")
    }

    /// The test set, which was not used for choosing parameters: the Harvard sentences, spoken like the fresh ones.
    static func harvard(seed: UInt64) async throws -> SpeechSet {
        try await voiced(harvardSentences, count: harvardSentences.count, seed: seed, name: "HS")
    }

    private static func voiced(
        _ sentences: some Sequence<String>, count: Int, seed: UInt64, name: String
    ) async throws -> SpeechSet {
        var random = SplitMix(seed: seed)
        var utterances: [Utterance] = []
        for sentence in sentences.shuffled(using: &random).prefix(count) {
            let speech: [Int16]
            if Bool.random(using: &random) {
                let voice = ["slt", "awb", "kal16", "rms"].randomElement(using: &random) ?? "slt"
                let stretch = Double.random(in: 0.9...1.2, using: &random)
                speech = try await speak(
                    sentence, ["flite", "-voice", voice, "--setf", "duration_stretch=\(stretch)", "-o"])
            } else {
                let voice =
                    ["en-us", "en-gb", "en-gb-scotland", "en-gb-x-rp"].randomElement(using: &random) ?? "en"
                let speed = Int.random(in: 130...180, using: &random)
                let pitch = Int.random(in: 30...70, using: &random)
                speech = try await speak(
                    sentence, ["espeak-ng", "-v", voice, "-s", "\(speed)", "-p", "\(pitch)", "-w"])
            }
            let quiet = silence(0.5) + speech + silence(Double.random(in: 0.4...1.2, using: &random))
            let level = [4, 12, 40].randomElement(using: &random) ?? 4
            let samples = quiet.map { sample in
                Int16(clamping: Int(sample) + Int.random(in: -2 * level...2 * level, using: &random))
            }
            utterances.append(utterance(sentence, samples))
        }
        return SpeechSet(name: name, utterances: utterances)
    }

    private static func utterance(_ sentence: String, _ samples: [Int16]) -> Utterance {
        let words = sentence.lowercased().filter { $0.isLetter || $0 == "'" || $0 == " " }
        return Utterance(reference: words, samples: samples)
    }

    /// - Parameter command: writes speech to the file that is appended.
    static func speak(_ sentence: String, _ command: [String]) async throws -> [Int16] {
        let folder = try TemporaryDirectory()
        let file = folder.path(of: "speech.wav")
        let text = command[0] == "flite" ? ["-t", sentence] : [sentence]
        try await Sox.run(command + [file] + text)
        return try await Sox.samples(of: file, ["gain", "-3", "rate", "16000"])
    }

    private static func silence(_ seconds: Double) -> [Int16] {
        [Int16](repeating: 0, count: Int(seconds * 16000))
    }
}
