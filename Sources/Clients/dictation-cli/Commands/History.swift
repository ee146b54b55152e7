import ArgumentParser
import DictationClient
import Foundation
import LanguageFiles
import Localization

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show, copy and erase the last texts, if you keep them.",
        discussion: """
            Nothing is kept until you choose it, as with “dictation-cli history keep 7 days”: that is the setting “history” \
            in ~/.config/dictation/dictation.yaml. With --sound the sound is kept too, and can be recognised again. Texts \
            for password fields are never kept.
            """,
        subcommands: [List.self, Show.self, Copy.self, TypeAgain.self, Again.self, Forget.self, Keep.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the texts, the newest first.")

        @OptionGroup var busOptions: BusOptions

        @Option(help: "The number of texts, 1 to 200.")
        var limit: UInt32 = 20

        @Option(help: ArgumentHelp("Only texts before this one.", valueName: "number"))
        var before: UInt64?

        @Flag(help: "Write them as JSON.")
        var json = false

        func validate() throws {
            guard (1...200).contains(limit) else { throw ValidationError("--limit is from 1 to 200.") }
        }

        func run() async throws {
            let (texts, lifetime) = try await busOptions.connect().history(limit: limit, before: before)
            if json {
                return try Output.standardOutput.line(
                    JSON.object([
                        ("lifetime", .integer(lifetime.components.seconds)),
                        ("texts", .array(texts.map(\.json))),
                    ]).text)
            }
            if lifetime == .zero {
                Output.standardError.writeNotice(
                    translated(
                        "Texts are not kept. “dictation-cli history keep 7 days” keeps them from now on."
                    ))
            } else if texts.isEmpty {
                Output.standardError.writeNotice(translated("There are no texts."))
            }
            for text in texts { try Output.standardOutput.line(text.line) }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Write a text.")

        @OptionGroup var busOptions: BusOptions
        @OptionGroup var target: HistoryTarget

        @Flag(help: "Write it as JSON, with what is known of it.")
        var json = false

        func run() async throws {
            let text = try await target.text(busOptions.connect())
            if json { return try Output.standardOutput.line(text.json.text) }
            try Output.standardOutput.text(text.text)
        }
    }

    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy a text to the clipboard.",
            discussion: "Under Wayland with wl-copy of wl-clipboard, under X11 with xclip.")

        @OptionGroup var busOptions: BusOptions
        @OptionGroup var target: HistoryTarget

        /// The tray's menu has no other place for what went wrong than a notification.
        @Flag(help: "Copy standard input instead, and show a failure on the desktop: for the tray's menu.")
        var standardInput = false

        func run() async throws {
            do {
                let text =
                    standardInput
                    ? try InputFile(path: "-").text() : try await target.text(busOptions.connect()).text
                try ClipboardCopy(environment: ProcessInfo.processInfo.environment).copy(text)
            } catch let error as ClipboardCopyError {
                Output.standardError.writeNotice("\(error)")
                if standardInput { await DesktopNotification(title: error.description).show() }
                throw ExitStatus.unavailable.code
            }
            Output.confirm("The text is in the clipboard.")
        }
    }

    struct Again: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Recognise a text again, with another engine or language.",
            discussion: """
                Its sound must have been kept, with “dictation-cli history keep 7 days --sound”. The result replaces the text; “show --json” has \
                the first one too.
                """)

        @OptionGroup var busOptions: BusOptions
        @OptionGroup var target: HistoryTarget

        @Option(help: "The engine; “dictation-cli engines” lists them.")
        var engine: String?

        @Option(help: "The language, as de or de-DE.")
        var language: String?

        @Flag(help: "Write it as JSON.")
        var json = false

        func run() async throws {
            let client = try await busOptions.connect()
            let text = try await client.recogniseAgain(
                target.id(client), engine: engine, language: language)
            if json { return try Output.standardOutput.line(text.json.text) }
            try Output.standardOutput.text(text.text)
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Erase texts, and their sound.")

        @OptionGroup var busOptions: BusOptions

        @Argument(help: "Their numbers.")
        var ids: [UInt64] = []

        @Flag(help: "Erase all of them.")
        var all = false

        func validate() throws {
            guard all != !ids.isEmpty else {
                throw ValidationError("Name the texts by their numbers, or give --all.")
            }
        }

        func run() async throws {
            let client = try await busOptions.connect()
            let count = all ? try await client.clearHistory() : try await client.forgetHistory(ids)
            Output.confirm("Texts erased: \(count).")
        }
    }
}

extension History {
    struct Keep: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Choose how long texts are kept. “off” erases them.")

        @Argument(
            help: ArgumentHelp("“off”, or a time such as “7 days” or “12 hours”.", valueName: "time"))
        var time: [String]

        @Flag(inversion: .prefixedNo, help: "Keep the sound too, or not.")
        var sound: Bool?

        func validate() throws {
            guard HistoryLifetime(time.joined(separator: " ")) != nil else {
                throw ValidationError("Give “off”, or a time such as “7 days”, “12 hours” or “1 day”.")
            }
        }

        func run() throws {
            try HistoryLifetime(time.joined(separator: " "))?.write(keepsSound: sound)
        }
    }
}

/// How long texts are kept, as the settings have it.
struct HistoryLifetime {
    private let text: String
    private let isOff: Bool

    init?(_ text: String) {
        let isTime = text.wholeMatch(of: #/[1-9]\d{0,3} (hours?|days?)/#) != nil
        isOff = text == "off"
        guard isOff || isTime else { return nil }
        self.text = text
    }

    /// Writes it into the user's settings.
    /// - Parameter keepsSound: nil leaves it as it is.
    func write(keepsSound: Bool? = nil) throws {
        let file = try SettingsFile.ofUser()
        do {
            var settings = try file.text()
            settings = try SettingsLine.changed(settings, "history", to: text)
            if let keepsSound {
                settings = try SettingsLine.changed(settings, "history-sound", to: "\(keepsSound)")
            }
            try file.write(settings)
        } catch let error as SettingsLineError {
            Output.standardError.writeNotice("\(file.path): \(error)")
            throw ExitStatus.dataError.code
        }
        if isOff {
            Output.confirm("Texts are not kept, and those that were are erased.")
        } else {
            Output.confirm("Texts are kept from now on, for this time: \(text).")
        }
    }
}

/// The text that a command is about.
struct HistoryTarget: ParsableArguments {
    @Argument(help: ArgumentHelp("Its number; the last text if there is none.", valueName: "number"))
    var number: UInt64?

    func id(_ client: DictationClient) async throws -> UInt64 {
        if let number { return number }
        guard let last = try await client.history(limit: 1).texts.first else {
            Output.standardError.writeNotice(translated("There are no texts."))
            throw ExitStatus.dataError.code
        }
        return last.id
    }

    func text(_ client: DictationClient) async throws -> HistoryText {
        try await client.historyText(id(client))
    }
}

extension HistoryText {
    /// Its number, time, application and beginning.
    var line: String {
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        let short = words.count > 100 || isCut ? words.prefix(100) + "…" : words[...]
        let place = window.map(DisplayText.harmless) ?? application.line
        return [String(id), LocalTime.text(time), place, DisplayText.harmless(String(short))]
            .joined(separator: "\t")
    }

    var json: JSON {
        .object([
            ("id", JSON(id)), ("time", .integer(time)), ("kind", .string(application.kind.rawValue)),
            ("client", .string(application.id)), ("application", JSON(window)),
            ("language", .string(language)), ("engine", .string(engine)), ("text", .string(text)),
            ("long", .bool(isCut)), ("original", JSON(original)), ("sound", JSON(sound)),
            ("duration", JSON(duration)),
        ])
    }
}
