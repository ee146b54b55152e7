import ArgumentParser
import DictationRig
import DictationTestKit
import Foundation
import Recognition

/// How much speech the voice activity detector keeps, and how often it opens for other sounds.
struct Gate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "How much speech the voice activity detector keeps, and its false openings.")

    private struct Passed {
        var openings = 0
        var samples: Set<Int> = []
        /// In hundredths of a second.
        var frames: Int { samples.count }
    }

    func run() async throws {
        var random = SplitMix(seed: 3)
        func noise(_ seconds: Double, _ amplitude: Int) -> [Int16] {
            (0..<Int(seconds * 16000)).map { _ in
                Int16.random(in: Int16(-amplitude)...Int16(amplitude), using: &random)
            }
        }
        var table = Table(
            "Voice activity detector, without speech, 60 s each", columns: "sound", "false openings", "open")
        let music = try await Self.music()
        for (what, samples) in [
            ("digital silence", Speech.silence(60)), ("room noise, -68 dBFS", noise(60, 22)),
            ("fan, -40 dBFS", noise(60, 560)), ("keyboard, four keys a second", Self.keys(noise(60, 22))),
            ("music, chords", music),
        ] {
            let passed = Self.pass(samples)
            table.add(
                what, "\(passed.openings)", (Double(passed.frames) / 60).written(1, "%"))
        }
        table.print()

        let speech = try await SpeechSet.librivox()
        let room = noise(1, 22)
        let heard = speech.utterances.map { Self.loudFrames(of: $0.samples) }
        var kept = Table(
            "Voice activity detector, with speech, \(speech.utterances.count) recordings",
            columns: "speech", "onsets missed", "loud frames missed")
        for (what, change) in [
            ("from the first sample", { (samples: [Int16]) in samples }),
            ("after a second of room noise", { (samples: [Int16]) in room + samples }),
            ("the same, 12 dB down", { (samples: [Int16]) in room + samples.map { $0 / 4 } }),
        ] as [(String, ([Int16]) -> [Int16])] {
            var onsets = 0
            var missed = 0
            for (utterance, loud) in zip(speech.utterances, heard) {
                let samples = change(utterance.samples)
                let offset = (samples.count - utterance.samples.count) / 160
                let passed = Self.pass(samples)
                if let first = loud.first, !passed.samples.contains(first + offset) { onsets += 1 }
                missed += loud.count { !passed.samples.contains($0 + offset) }
            }
            let all = heard.reduce(0) { $0 + $1.count }
            kept.add(what, "\(onsets)", "\(missed) of \(all)")
        }
        kept.print()
    }

    private static func pass(_ samples: [Int16]) -> Passed {
        var gate = VoiceActivityDetector()
        var passed = Passed()
        var position = 0
        for event in gate.process(samples) + gate.flush() {
            switch event {
            case .onset(let start):
                passed.openings += 1
                position = start
            case .speech(let speech):
                passed.samples.formUnion((position / 160)..<((position + speech.count) / 160))
                position += speech.count
            case .cut, .end: break
            }
        }
        return passed
    }

    /// Frames of 10 ms within 30 dB of the loudest.
    private static func loudFrames(of samples: [Int16]) -> [Int] {
        let energies = stride(from: 0, to: samples.count - 160, by: 160).map { start in
            samples[start..<start + 160].reduce(1.0) { $0 + Double($1) * Double($1) }
        }
        let threshold = (energies.max() ?? 0) / 1000
        return energies.indices.filter { energies[$0] > threshold }
    }

    /// A key press has two short bursts, down and up.
    private static func keys(_ room: [Int16]) -> [Int16] {
        var random = SplitMix(seed: 5)
        var samples = room
        for key in stride(from: 4000, to: samples.count - 4000, by: 4000) {
            for start in [key, key + Int.random(in: 1000...1600, using: &random)] {
                for index in 0..<400 {
                    let burst = Double.random(in: -3000...3000, using: &random) * exp(-Double(index) / 60)
                    samples[start + index] += Int16(burst)
                }
            }
        }
        return samples
    }

    private static func music() async throws -> [Int16] {
        let folder = try TemporaryDirectory()
        let chord = folder.path(of: "chord.wav")
        let notes = ["C3", "E4", "G4"].flatMap { ["pluck", $0] }
        try await Sox.run(
            ["sox", "-R", "-n", "-r", "16000", "-c", "1", "-b", "16", chord, "synth", "1.2"] + notes
                + ["remix", "-", "gain", "-12", "repeat", "49"])
        return try await Sox.samples(of: chord)
    }
}
