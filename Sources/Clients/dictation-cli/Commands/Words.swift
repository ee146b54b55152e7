import ArgumentParser
import DictationClient
import Foundation
import Localization

struct Words: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Teach the recogniser words of your own: names, products, technical terms.",
        discussion: """
            The words are kept in ~/.config/dictation/dictation.yaml and count from the next session on. A word that the \
            dictionary does not have is pronounced by its spelling, unless an example shows how it is said.
            """,
        subcommands: [Add.self, List.self, Remove.self, Test.self], defaultSubcommand: List.self)

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a word.",
            discussion: """
                With an example, PocketSphinx compares the ways in which the word may be said with the sound, and what other \
                engines take it for is written as the word from then on.
                """)

        @OptionGroup var busOptions: BusOptions

        @Argument(help: "The word, as it is to be written.")
        var word: String

        @Option(
            help: ArgumentHelp(
                "How it is said: by other words in lower case, as “engine ex” for nginx, or in phones, as “K UW B”.",
                valueName: "words"))
        var soundsLike: String?

        @Option(
            help: ArgumentHelp("A sound file in which the word alone is said.", valueName: "file"),
            completion: .file())
        var example: String?

        @Flag(help: "Say the word into the microphone, as an example.")
        var speak = false

        @Option(
            help: ArgumentHelp(
                "A text of the history in which the word was said and written wrongly; its sound is the example.",
                valueName: "number"))
        var fromHistory: UInt64?

        func validate() throws {
            let ways = [soundsLike != nil, example != nil, speak, fromHistory != nil]
            guard ways.count(where: \.self) <= 1 else {
                throw ValidationError("Give one of --sounds-like, --example, --speak and --from-history.")
            }
        }

        func run() async throws {
            let file = try WordFile()
            // What is not one word is refused before anything else is done.
            var trial = try file.settings()
            try file.orFailure { () throws(WordSettingsError) in
                try trial.add(.init(text: word, sounds: soundsLike))
            }
            let sounds: [String]
            if example == nil, !speak, fromHistory == nil {
                try await check()
                sounds = [soundsLike].compactMap(\.self)
            } else {
                sounds = try await learn()
            }
            try file.change { settings throws(WordSettingsError) in try settings.add(word, sounds) }
            Output.confirm("“\(DisplayText.harmless(word))” is known from the next session on.")
        }

        /// Refuses a word that cannot be spoken. Without a service that may be asked, that is not known.
        private func check() async throws {
            do {
                let client = try await busOptions.connect()
                guard try await client.checkPermission()[.speech] == .granted else { return }
                try await WordLesson(client: client, word: word).check(soundsLike)
            } catch let error as DictationError where error.code == .invalidArguments {
                Output.standardError.writeNotice(
                    translated(
                        "“\(DisplayText.harmless(word))” cannot be spoken as it is spelled: say how, with --sounds-like, or as an example with --speak. (\(error.message))"
                    ))
                throw ExitStatus.dataError.code
            } catch is DictationError {}
        }

        private func learn() async throws -> [String] {
            let client = try await busOptions.connect()
            try await OwnPermission.request(for: speak ? [.microphone, .speech] : [.speech], client)
            let lesson = WordLesson(client: client, word: word)
            do {
                var spoken: SpokenExample?
                let place: WordLesson.Example
                if let fromHistory {
                    place = try WordLesson.Example(of: word, in: try await client.historyText(fromHistory))
                } else if let example {
                    place = WordLesson.Example(path: example)
                } else {
                    Output.standardError.writeNotice(translated("Say the word “\(word)”, alone."))
                    let recorded = try await SpokenExample(client)
                    spoken = recorded
                    place = WordLesson.Example(path: recorded.path)
                }
                defer { withExtendedLifetime(spoken) {} }
                let result = try await lesson.learn(from: place)
                Output.standardError.writeNotice(
                    translated(
                        "It is said as: \(result.sounds.joined(separator: ", ")). The example is now written: \(result.text)"
                    ))
                if let fromHistory {
                    Output.standardError.writeNotice(
                        translated("“dictation-cli history again \(fromHistory)” writes the text anew."))
                }
                return result.sounds
            } catch let error as WordLessonError {
                Output.standardError.writeNotice("\(error)")
                throw ExitStatus.dataError.code
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the words.")

        @Flag(help: "Write them as JSON.")
        var json = false

        func run() throws {
            let words = try WordFile().settings().words
            if json {
                let values = words.map { word in
                    JSON.object([("word", .string(word.text)), ("sounds-like", JSON(word.sounds))])
                }
                return try Output.standardOutput.line(JSON.array(values).text)
            }
            if words.isEmpty { Output.standardError.writeNotice(translated("There are no words.")) }
            for word in words {
                let parts = [word.text] + (word.sounds.map { [$0] } ?? [])
                try Output.standardOutput.line(parts.map(DisplayText.harmless).joined(separator: "\t"))
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a word.")

        @Argument(help: "The word.")
        var word: String

        func run() throws {
            try WordFile().change { settings throws(WordSettingsError) in
                guard settings.remove(word) else {
                    throw WordSettingsError("There is no word “\(DisplayText.harmless(word))”.")
                }
            }
            Output.confirm("“\(DisplayText.harmless(word))” is removed.")
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Transcribe a sound file, and count how often each word was understood.")

        @OptionGroup var busOptions: BusOptions

        @Argument(help: "A WAV file in which the words are said.", completion: .file())
        var file: String

        func run() async throws {
            let words = try WordFile().settings().words
            var options = StartOptions()
            options.sendsPartials = false
            options.vocabulary = words.map { .init($0.text, pronunciation: $0.sounds) }
            options.input = try InputFile(path: file).descriptor
            let client = try await busOptions.connect()
            try await OwnPermission.request(for: [.speech], client)
            var texts: [String] = []
            let session = try await client.start(options)
            let failure = try await session.read { event in
                if case .final(let final) = event { texts.append(final.text) }
            }
            if let failure, texts.isEmpty { throw failure }
            let text = texts.joined(separator: "\n")
            try Output.standardOutput.text(text)
            let heard = text.split { $0.isWhitespace || ",.;:!?".contains($0) }.map { $0.lowercased() }
            for word in words {
                let count = heard.count { $0 == word.text.lowercased() }
                try Output.standardOutput.line("\(count)\t" + DisplayText.harmless(word.text))
            }
            if let failure { throw failure }
        }
    }
}

/// The user's words in the file of the user's settings.
private struct WordFile {
    private let file: SettingsFile

    init() throws { file = try SettingsFile.ofUser() }

    func settings() throws -> WordSettings {
        do {
            return try WordSettings(file.text())
        } catch let error as WordSettingsError {
            throw failure(error)
        }
    }

    func change(_ body: (inout WordSettings) throws(WordSettingsError) -> Void) throws {
        var settings = try settings()
        try orFailure { () throws(WordSettingsError) in try body(&settings) }
        try file.write(settings.text)
    }

    /// An error is shown, and becomes an exit code.
    func orFailure(_ body: () throws(WordSettingsError) -> Void) throws {
        do {
            try body()
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: WordSettingsError) -> ExitCode {
        Output.standardError.writeNotice("\(error)")
        return ExitStatus.dataError.code
    }
}
