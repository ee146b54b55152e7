import ArgumentParser
import DBus
import DictationCore
import DictationRig
import DictationTestKit
import LanguageFiles

/// Sentences with marks, numbers and commands: what was misheard, and what was heard and written wrongly.
struct Forms: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Written form of 40 sentences by three voices, with PocketSphinx and with Whisper.")

    @Flag(help: "Print each sentence that is not written as expected.")
    var verbose = false

    func run() async throws {
        guard let language = try LanguageFolder.ofProgram().table(for: "en") else {
            throw TestFailure("there is no table of English")
        }
        let lexicon = Lexicon(language, region: "US")
        for sentence in dictatedSentences {
            let written = Self.write(sentence.spoken, lexicon)
            guard written == sentence.written else {
                throw TestFailure("\(sentence.spoken): \(written) instead of \(sentence.written)")
            }
        }
        let whisper = try WhisperServer()
        try await whisper.listens()
        var table = Table(
            "\(dictatedSentences.count) sentences with punctuation, numbers and commands, by three voices",
            columns: "engine", "voice", "as expected", "numbers as the engine writes them", "misheard",
            "heard and written wrongly", "no text")
        for (name, configuration, punctuates) in [
            ("PocketSphinx", "", false),
            ("Whisper tiny.en", secondPass(at: "unix:\(whisper.socket)", fallback: "wait"), true),
        ] {
            let dictation = try await Dictation(configuration)
            for voice in Voice.all.prefix(3) {
                var count = Counts(lexicon: lexicon, punctuates: punctuates)
                for sentence in dictatedSentences {
                    let result = try await dictation.transcribe(
                        try await voice.say(sentence.spoken),
                        ["formatting": Value("dictation"), "commands": Value(true)])
                    let outcome = count.add(result, sentence)
                    if verbose, outcome != .right {
                        print(
                            "\(name), \(voice.name), \(outcome): \(sentence.spoken) | \(result.spoken) | \(result.text)"
                        )
                    }
                }
                table.add(
                    name, voice.name, "\(count[.right])", "\(count[.own])", "\(count[.misheard])",
                    "\(count[.wrong])",
                    "\(count[.empty])")
                note("\(name), \(voice.name): \(count[.right]) as expected")
            }
            try await dictation.rig.end()
        }
        table.print()
    }

    private static func write(_ words: String, _ lexicon: Lexicon) -> String {
        var form = WrittenForm(lexicon)
        var text = ""
        for edit in form.append(words) + form.commit() {
            switch edit {
            case .append(let addition): text += addition
            case .retract(let count): text.unicodeScalars.removeLast(count)
            case .retractEarlier, .session, .phrase: break
            }
        }
        return text
    }

    private enum Outcome {
        case right, misheard, wrong, empty
        /// The letters and digits are right; the engine wrote "745" or "January 5th" itself.
        case own
    }

    private struct Counts {
        let lexicon: Lexicon
        /// Of the engine: it writes capitals, commas and full stops that nobody said.
        let punctuates: Bool
        private var counts: [Outcome: Int] = [:]

        init(lexicon: Lexicon, punctuates: Bool) {
            self.lexicon = lexicon
            self.punctuates = punctuates
        }

        subscript(outcome: Outcome) -> Int { counts[outcome, default: 0] }

        /// What was heard is right if its words, without the engine's own marks, have the expected written form.
        mutating func add(_ result: Transcript, _ sentence: (spoken: String, written: String)) -> Outcome {
            let heard = result.spoken
            let outcome: Outcome
            if isExpected(result.text, sentence.written, heard) {
                outcome = .right
            } else if heard.isEmpty {
                outcome = .empty
            } else if Forms.write(withoutOwnMarks(heard), lexicon).lowercased()
                == sentence.written.lowercased()
            {
                outcome = .wrong
            } else if punctuates, letters(of: result.text) == letters(of: sentence.written) {
                outcome = .own
            } else {
                outcome = .misheard
            }
            counts[outcome, default: 0] += 1
            return outcome
        }

        private func isExpected(_ text: String, _ written: String, _ heard: String) -> Bool {
            guard punctuates else { return text == written }
            let hasOwnCommas = heard.contains(",")
            return [text, written].map { text in
                let small = text.lowercased()
                let bare = small.hasSuffix(".") ? String(small.dropLast()) : small
                return hasOwnCommas ? bare.replacing(",", with: "") : bare
            }.allAreEqual
        }

        /// Letters and digits, without signs and the ends of ordinals.
        private func letters(of text: String) -> String {
            text.lowercased().replacing("minus", with: "").replacing(/([0-9])(st|nd|rd|th)/) { $0.output.1 }
                .filter { $0.isLetter || $0.isNumber }
        }

        private func withoutOwnMarks(_ heard: String) -> String {
            guard punctuates else { return heard }
            let words = heard.lowercased().split(separator: " ").map { word in
                var word = word
                while let last = word.last, ".,;:!?".contains(last) { word.removeLast() }
                return word
            }
            return words.joined(separator: " ")
        }
    }
}

extension [String] {
    fileprivate var allAreEqual: Bool { allSatisfy { $0 == first } }
}
