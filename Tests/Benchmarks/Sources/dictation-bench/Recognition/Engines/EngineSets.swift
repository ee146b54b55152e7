import DictationRig
import DictationTestKit
import Foundation
import Recognition

/// Sets that the scripts in Tests/Support/EngineSets make.
enum EngineSets {
    /// FL: ten letters, 550 words, no sentence twice.
    static func letters() async throws -> SpeechSet {
        let folder = try TemporaryDirectory()
        try await run("letters.py", folder)
        let list = try Data(contentsOf: URL(filePath: folder.path(of: "set.json")))
        let letters = try JSONDecoder().decode([[String]].self, from: list)
        return SpeechSet(
            name: "FL",
            utterances: try letters.map { letter in
                SpeechSet.Utterance(
                    reference: letter[1], samples: try WaveFile.samples(of: letter[0]) + Speech.silence(1))
            })
    }

    /// A folder of recordings, each `NAME.wav` with its words in `NAME.txt`, in the order of their names, with pauses of
    /// 0.6 s between them.
    static func folder(_ path: String) async throws -> SpeechSet {
        let folder = URL(filePath: path)
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            .filter { $0.hasSuffix(".wav") }.map { String($0.dropLast(4)) }
        guard !names.isEmpty else { throw TestFailure("\(path) has no WAV files.") }
        var utterances: [SpeechSet.Utterance] = []
        for name in names {
            let text = try String(contentsOf: folder.appending(path: "\(name).txt"), encoding: .utf8)
            utterances.append(
                SpeechSet.Utterance(
                    reference: text.split(whereSeparator: \.isWhitespace).joined(separator: " "),
                    samples: try await Sox.samples(
                        of: folder.appending(path: "\(name).wav").path, ["rate", "16000"])
                        + Speech.silence(0.6)))
        }
        return SpeechSet(name: folder.lastPathComponent, utterances: utterances)
    }

    /// Sounds in which nobody dictates, by name.
    /// - Parameter folder: of WAV files; nil for NOISE, 15 sounds of 10 s.
    static func noise(_ folder: String? = nil) async throws -> [(name: String, samples: [Int16])] {
        let made = try TemporaryDirectory()
        if folder == nil { try await run("noise.py", made) }
        let path = folder ?? made.path
        let files = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            .filter { $0.hasSuffix(".wav") }
        return try files.map { file in
            (String(file.dropLast(4)), try WaveFile.samples(of: "\(path)/\(file)"))
        }
    }

    /// What the voice activity detector lets through of a sound, segment by segment.
    static func segments(of samples: [Int16]) -> [[Int16]] {
        var detector = VoiceActivityDetector()
        var segments: [[Int16]] = []
        for event in detector.process(samples[...]) + detector.flush() {
            switch event {
            case .onset: segments.append([])
            case .speech(let speech):
                if !segments.isEmpty { segments[segments.count - 1] += speech }
            case .cut, .end: break
            }
        }
        return segments
    }

    /// Writes the segments of L5, FL and these sets as `speech-N.wav`, and those of sounds as `noise-NAME-N.wav`.
    static func write(into folder: String, sets: [String], noise: String?) async throws {
        var speech = [try await SpeechSet.librivox(), try await letters()]
        for set in sets { speech.append(try await self.folder(set)) }
        let segments = speech.flatMap(\.utterances).flatMap { self.segments(of: $0.samples) }
        for (number, segment) in segments.enumerated() {
            try WaveFile.write(segment, to: "\(folder)/speech-\(number).wav")
        }
        for sound in try await self.noise(noise) {
            for (number, segment) in self.segments(of: sound.samples).enumerated() {
                try WaveFile.write(segment, to: "\(folder)/noise-\(sound.name)-\(number).wav")
            }
        }
    }

    /// With the interpreter of packaging/whisper, which has numpy.
    private static func run(_ script: String, _ folder: TemporaryDirectory) async throws {
        let whisper = try await ChildProcess.run([repository.appending(path: "packaging/whisper").path])
        let environment = whisper.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let path = repository.appending(path: "Tests/Support/EngineSets/\(script)").path
        let result = try await ChildProcess.run(["\(environment)/bin/python", path, folder.path])
        guard result.status == .exited(0) else { throw TestFailure("\(script): \(result.errors)") }
    }
}

/// Full stops that an engine wrote.
enum FullStops {
    /// Full stops behind words behind which the reference has none. Words are compared by the alignment with the fewest
    /// errors.
    static func misplaced(in text: String, reference: String) -> Int {
        let words = Self.words(text)
        let expected = Self.words(reference)
        // costs[i][j]: errors between the first i words and the first j expected ones.
        var costs = [[Int]](
            repeating: [Int](repeating: 0, count: expected.count + 1), count: words.count + 1)
        for i in 0...words.count {
            for j in 0...expected.count {
                guard i > 0, j > 0 else {
                    costs[i][j] = i + j
                    continue
                }
                let change = words[i - 1].word == expected[j - 1].word ? 0 : 1
                costs[i][j] = min(costs[i - 1][j - 1] + change, costs[i - 1][j] + 1, costs[i][j - 1] + 1)
            }
        }
        var (i, j, count) = (words.count, expected.count, 0)
        while i > 0, j > 0 {
            let change = words[i - 1].word == expected[j - 1].word ? 0 : 1
            if costs[i][j] == costs[i - 1][j - 1] + change {
                if words[i - 1].ends, !expected[j - 1].ends { count += 1 }
                (i, j) = (i - 1, j - 1)
            } else if costs[i][j] == costs[i - 1][j] + 1 {
                i -= 1
            } else {
                j -= 1
            }
        }
        return count
    }

    private static func words(_ text: String) -> [(word: String, ends: Bool)] {
        text.split(whereSeparator: \.isWhitespace).compactMap { word in
            let letters = countedWords(of: String(word))
            let isTitle = ["mr.", "mrs.", "dr."].contains(word.lowercased())
            return letters.isEmpty ? nil : (letters, word.hasSuffix(".") && !isTitle)
        }
    }
}
