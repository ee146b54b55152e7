import ArgumentParser
import DictationClient

struct Engines: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the speech engines, or set one up.",
        discussion: """
            PocketSphinx is part of the service. “engines add whisper” sets up Whisper, which gets far fewer words wrong: \
            the text appears as you speak, and is replaced by Whisper's a moment later.
            """,
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the speech engines, whether they answer, how fast, and their languages.")

        @OptionGroup var busOptions: BusOptions

        @Flag(help: "Write them as JSON.")
        var json = false

        func run() async throws {
            let engines = try await busOptions.connect().information().engines
            if json { return try Output.standardOutput.line(JSON.array(engines.map(\.json)).text) }
            let width = engines.map { DisplayText.width(DisplayText.harmless($0.name)) }.max() ?? 0
            for engine in engines { try Output.standardOutput.line(engine.line(nameWidth: width)) }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set up an engine of your own: “whisper”.",
            discussion: """
                Installs wyoming-faster-whisper from PyPI into a virtual environment below ~/.local/share/dictation, runs it \
                as a service of yours without network, and has dictation use it. The first start downloads the model, \
                unless it is a folder. “engines remove whisper” undoes all of it.
                """)

        @Argument(help: "The engine: whisper.")
        var engine: EngineKind

        @Option(
            help:
                "A model's name on Hugging Face, such as base-int8 or Systran/faster-whisper-small, or the folder of one."
        )
        var model = "base-int8"

        @Option(help: "The language that is spoken, as the engine names it.")
        var language = "en"

        func run() async throws {
            try await EngineSetup(kind: engine).add(model: model, language: language)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an engine that “engines add” has set up, with all that belongs to it.")

        @Argument(help: "The engine: whisper.")
        var engine: EngineKind

        func run() async throws {
            try EngineSetup(kind: engine).remove()
        }
    }
}

extension ServiceInformation.Engine {
    /// For people.
    fileprivate func line(nameWidth: Int) -> String {
        var facts: [String] = []
        if let program { facts.append(DisplayText.harmless(program)) }
        if !isLocal { facts.append("on another machine") }
        if let answer { facts.append("last answer in \(Int((answer * 1000).rounded())) ms") }
        facts.append(isAvailable ? Self.shown(languages) : message ?? "not available")
        return (isAvailable ? "✓ " : "✗ ") + DisplayText.harmless(name).padded(to: nameWidth) + "  "
            + DisplayText.harmless(facts.joined(separator: "; "))
    }

    private static func shown(_ languages: [String]) -> String {
        let shown = languages.prefix(6).joined(separator: ", ")
        return languages.count > 6 ? "\(shown) and \(languages.count - 6) more" : shown
    }

    fileprivate var json: JSON {
        .object([
            ("name", .string(name)), ("available", .bool(isAvailable)), ("local", .bool(isLocal)),
            ("languages", .array(languages.map { .string($0) })), ("program", JSON(program)),
            ("answer", answer.map { .number($0) } ?? .null), ("message", JSON(message)),
        ])
    }
}
