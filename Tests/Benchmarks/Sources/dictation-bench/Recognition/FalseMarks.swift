import ArgumentParser
import DBus
import DictationRig
import DictationTestKit

/// Marks in the text of speech that has none.
struct FalseMarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "false-marks",
        abstract: "Marks that PocketSphinx hears in ordinary speech, with the formatting \"dictation\".")

    /// Marks that a table writes; neither those within words nor those within numbers.
    private static let marks: Set<Character> = [
        ",", ".", ";", ":", "?", "!", "…", "–", "—", "-", "\"", "(", ")", "[", "]", "{", "}", "/", "\\", "&",
        "*", "#",
        "@", "\n",
    ]

    func run() async throws {
        let dictation = try await Dictation()
        var sets = [try await SpeechSet.librivox(), try await SpeechSet.fresh(seed: 2026)]
        for (index, voice) in Voice.all.enumerated() {
            var set = SpeechSet(name: voice.name, utterances: [])
            for (number, sentence) in (sentences + harvardSentences).enumerated()
            where number % Voice.all.count == index {
                set.utterances.append(
                    SpeechSet.Utterance(reference: sentence, samples: try await voice.say(sentence)))
            }
            sets.append(set)
        }
        var table = Table(
            "Marks in ordinary speech", columns: "set", "words", "marks", "for 100 words", "which")
        var words = 0
        var all = 0
        for set in sets {
            let count = set.reference.split(separator: " ").count
            var samples: [Int16] = []
            for utterance in set.utterances {
                samples += utterance.samples + [Int16](repeating: 0, count: 16000)
            }
            let text = try await dictation.transcribe(samples, ["formatting": Value("dictation")]).text
            let marks = Self.marks(in: text)
            table.add(
                set.name, "\(count)", "\(marks.count)", rate(marks.count, count),
                marks.map { $0 == "\n" ? "line break" : "\($0)" }.joined(separator: " "))
            words += count
            all += marks.count
            note("\(set.name): \(marks.count) in \(count)")
        }
        table.add("all", "\(words)", "\(all)", rate(all, words), "")
        table.print()
        var bar = Bar("Marks that were not spoken")
        bar.add(
            "for 100 words", reference: "", Double(all) / Double(words) * 100, atMost: 1, unit: "",
            decimals: 2)
        bar.print()
        try await dictation.rig.end()
    }

    private func rate(_ marks: Int, _ words: Int) -> String {
        (Double(marks) / Double(max(1, words)) * 100).written(2)
    }

    private static func marks(in text: String) -> [Character] {
        let characters = Array(text)
        return characters.indices.filter { index in
            guard marks.contains(characters[index]) else { return false }
            let isWithin =
                index > 0 && index + 1 < characters.count && characters[index] != "\n"
                && isPart(characters[index - 1]) && isPart(characters[index + 1])
            return !isWithin
        }.map { characters[$0] }
    }

    private static func isPart(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
