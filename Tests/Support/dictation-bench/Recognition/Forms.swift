import ArgumentParser
import DBus
import DictationRig
import DictationTestKit

/// Sentences with marks, numbers and commands: what was misheard, and what was heard and written wrongly.
struct Forms: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Written form of 40 sentences by three voices, with PocketSphinx and with Whisper.")

    @Flag(help: "Print each sentence that is not written as expected.")
    var verbose = false

    func run() async throws {
        let whisper = try WhisperServer()
        try await whisper.listens()
        var table = Table(
            "\(dictatedSentences.count) sentences with punctuation, numbers and commands, by three voices",
            columns: "engine", "voice", "as expected", "misheard", "heard and written wrongly", "no text")
        for (name, configuration) in [
            ("PocketSphinx", ""), ("Whisper tiny.en", secondPass(at: "unix:\(whisper.socket)")),
        ] {
            let dictation = try await Dictation(configuration)
            for voice in Voice.all.prefix(3) {
                var count = Counts()
                for sentence in dictatedSentences {
                    let result = try await dictation.transcribe(
                        try await voice.say(sentence.spoken),
                        ["formatting": Value("dictation"), "commands": Value(true)])
                    count.add(result, sentence)
                    if verbose, result.text != sentence.written {
                        print(
                            "\(name), \(voice.name): \(sentence.spoken) | \(result.spoken) | \(result.text)")
                    }
                }
                table.add(
                    name, voice.name, "\(count.right)", "\(count.misheard)", "\(count.wrong)",
                    "\(count.empty)")
            }
            try await dictation.rig.end()
        }
        table.print()
    }

    private struct Counts {
        var right = 0
        var misheard = 0
        var wrong = 0
        var empty = 0

        /// What was heard is right where its words are those that were said, or those of the text that is expected:
        /// Whisper writes numbers itself.
        mutating func add(_ result: Transcript, _ sentence: (spoken: String, written: String)) {
            let heard = countedWords(of: result.spoken)
            let isHeard = [sentence.spoken, sentence.written].map(countedWords).contains(heard)
            if result.text == sentence.written {
                right += 1
            } else if result.spoken.isEmpty {
                empty += 1
            } else if isHeard {
                wrong += 1
            } else {
                misheard += 1
            }
        }
    }
}
