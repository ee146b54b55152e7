import ArgumentParser
import DictationClient
import Foundation

struct Words: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Teach the recogniser words of your own: names, products, technical terms.",
        discussion: """
            The words are kept in ~/.config/dictation/dictation.yaml and count from the next session on. A word that the \
            dictionary does not have is pronounced by its spelling.
            """,
        subcommands: [Add.self, List.self, Remove.self, Test.self], defaultSubcommand: List.self)

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a word.")

        @Argument(help: "The word, as it is to be written.")
        var word: String

        @Option(
            help: ArgumentHelp(
                "How it is said: by other words in lower case, as “engine ex” for nginx, or in phones, as “K UW B”.",
                valueName: "words"))
        var soundsLike: String?

        func run() throws {
            try WordFile().change { settings throws(WordSettingsError) in
                try settings.add(.init(text: word, sounds: soundsLike))
            }
            Output.confirm("“\(DisplayText.harmless(word))” is known from the next session on.")
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
            if words.isEmpty { Output.standardError.note(translated("There are no words.")) }
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
        do {
            try body(&settings)
        } catch {
            throw failure(error)
        }
        try file.write(settings.text)
    }

    private func failure(_ error: WordSettingsError) -> ExitCode {
        Output.standardError.note("\(error)")
        return ExitStatus.dataError.code
    }
}
