import DictationRig
import DictationTestKit
import Foundation

/// Answers of a word or two, by eight synthetic voices.
struct LiveWords {
    let model: String
    private static let words = ["yes", "no", "bye", "thank you", "you", "oh", "so", "okay"]
    private static let voices: [[String]] =
        ["slt", "rms", "awb", "kal16"].map { name in ["flite", "-voice", name, "-o"] }
        + ["en-us", "en-gb", "en-gb-scotland", "en-gb-x-rp"].map { name in
            ["espeak-ng", "-v", name, "-s", "150", "-w"]
        }

    func run() async throws {
        let scene = try await LiveScene(model: model)
        var lost: [String] = []
        var wrong: [String] = []
        var commits: [Double] = []
        try await scene.listening {
            for word in Self.words {
                for voice in Self.voices {
                    let seen = try await scene.say(try await SpeechSet.speak(word, voice))
                    let text = countedWords(of: seen.text)
                    commits.append(seen.commit)
                    if text.isEmpty {
                        lost.append(word)
                    } else if text != word {
                        wrong.append("\(word): “\(text)”")
                    }
                }
            }
        }
        try await scene.end()
        let count = Self.words.count * Self.voices.count
        var table = Table(
            "Short answers, Whisper \(model)", columns: "spoken", "lost", "right", "what came instead",
            "commit, median", "worst")
        table.add(
            "\(count)", "\(lost.count) \(lost.joined(separator: ", "))",
            "\(count - lost.count - wrong.count)",
            wrong.joined(separator: ", "), Samples(commits).median.written(0, "ms"),
            Samples(commits).maximum.written(0, "ms"))
        table.print()
    }
}

/// Sounds in which nobody dictates.
struct LiveNoise {
    let model: String
    private static let seconds = 5.0

    func run() async throws {
        var sounds = try await EngineSets.noise()
        sounds.append(("plucked string", Speech.pluckedNotes(seconds: Self.seconds)))
        sounds.append(("siren", try await synthesize(["sine", "500-1500"])))
        sounds.append(("motor", try await synthesize(["brownnoise", "tremolo", "20", "80"])))
        let voices = try await SpeechSet.harvard(seed: 2).utterances
        let speech = Array(voices.flatMap(\.samples).prefix(Int(Self.seconds * 16000)))
        let folder = try TemporaryDirectory()
        let file = folder.path(of: "speech.wav")
        try WaveFile.write(speech, to: file)
        sounds.append(("voice, backwards", try await Sox.samples(of: file, ["reverse"])))
        sounds.append(("voice, distant", try await Sox.samples(of: file, ["gain", "-30", "reverb", "90"])))
        let crowd = (0..<4).map { index in voices.dropFirst(4 * index).flatMap(\.samples) }
        sounds.append(
            (
                "voices, four",
                (0..<speech.count).map { index in
                    Int16(clamping: crowd.reduce(0) { $0 + Int($1[index]) / 3 })
                }
            ))
        let scene = try await LiveScene(model: model)
        var table = Table(
            "Text from sounds, Whisper \(model), \(sounds.count) of \(Self.seconds.written(0, "s"))",
            columns: "sound", "on the screen", "final")
        try await scene.listening {
            for (name, samples) in sounds {
                let seen = try await scene.say(Array(samples.prefix(Int(Self.seconds * 16000))))
                guard !seen.texts.isEmpty || !seen.text.isEmpty else { continue }
                table.add(name, seen.texts.map(\.text).joined(separator: " / "), seen.text)
            }
        }
        table.print()
        try await scene.end()
    }

    private func synthesize(_ effects: [String]) async throws -> [Int16] {
        let folder = try TemporaryDirectory()
        let file = folder.path(of: "sound.wav")
        try await Sox.run(
            ["sox", "-n", "-r", "16000", "-c", "1", "-b", "16", file, "synth", "\(Self.seconds)"] + effects
                + ["gain", "-20"])
        return try WaveFile.samples(of: file)
    }
}
