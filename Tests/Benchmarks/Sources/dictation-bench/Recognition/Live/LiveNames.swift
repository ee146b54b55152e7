import DBus
import DictationRig
import DictationTestKit
import Foundation

/// Unusual words in sentences by two voices, before and after the user added them, and ordinary sentences.
struct LiveNames {
    let model: String
    private static let voices = Voice.all.filter { ["slt", "espeak-ng"].contains($0.name) }
    private static let words = unusualWords.prefix(20)

    func run() async throws {
        var utterances: [(word: String?, reference: String, samples: [Int16])] = []
        for voice in Self.voices {
            for (word, sentence) in Self.words {
                utterances.append((word, sentence, try await voice.say(sentence)))
            }
            for sentence in sentences.dropFirst(20).prefix(20) {
                utterances.append((nil, countedWords(of: sentence), try await voice.say(sentence)))
            }
        }
        let scene = try await LiveScene(model: model, fallback: "wait")
        let before = try await measure(scene.dictation, utterances)
        let settings = try TemporaryDirectory()
        // The daemon's configuration file, where dictation-cli looks for the user's.
        try FileManager.default.createSymbolicLink(
            atPath: settings.path(of: "dictation"), withDestinationPath: scene.dictation.rig.home.path)
        for (word, _) in Self.words {
            let command = [executable("dictation-cli"), "words", "add", word]
            let result = try await ChildProcess.run(
                command,
                environment: scene.dictation.rig.environment.merging(["XDG_CONFIG_HOME": settings.path]) {
                    $1
                })
            guard result.status == .exited(0) else { throw TestFailure("\(command): \(result.errors)") }
        }
        try await eventually("the words hold", within: .seconds(120)) {
            try await scene.dictation.hasOwnWords()
        }
        let after = try await measure(scene.dictation, utterances)
        try await scene.end()
        var table = Table(
            "\(Self.words.count) words of the user in \(utterances.count { $0.word != nil }) sentences, Whisper \(model)",
            columns: "", "right", "other words wrong", "ordinary sentences: words wrong", "not right")
        for (name, figures) in [("before", before), ("added", after)] {
            table.add(
                name, "\(figures.right)", "\(figures.others.errors) of \(figures.others.words)",
                "\(figures.ordinary.errors) of \(figures.ordinary.words), \(figures.ordinary.rate.percent)",
                figures.missed.joined(separator: ", "))
        }
        table.print()
    }

    private struct Figures {
        var right = 0
        var others = WordErrorRate()
        var ordinary = WordErrorRate()
        var missed: [String] = []
    }

    private func measure(
        _ dictation: Dictation, _ utterances: [(word: String?, reference: String, samples: [Int16])]
    ) async throws -> Figures {
        var figures = Figures()
        for (word, reference, samples) in utterances {
            let text = countedWords(of: try await dictation.transcribe(samples).text)
            guard let word else {
                figures.ordinary.add(text, reference: reference)
                continue
            }
            if text.split(separator: " ").contains(Substring(word)) {
                figures.right += 1
            } else {
                figures.missed.append("\(word): “\(text)”")
            }
            let others = { (words: String) in
                words.split(separator: " ").filter { $0 != word }.joined(separator: " ")
            }
            figures.others.add(others(text), reference: others(reference))
        }
        return figures
    }
}
