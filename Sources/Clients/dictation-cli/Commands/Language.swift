import ArgumentParser
import LanguageFiles
import Localization

struct Language: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show and switch the language that is spoken.",
        discussion: """
            Your languages are the setting “language” in ~/.config/dictation/dictation.yaml, such as [en-US, de-DE]. The \
            choice counts from the next session on. Bind “dictation-cli language next” to a key to switch by it.
            """)

    @Argument(
        help: ArgumentHelp(
            "One of your languages, as de or de-DE; “next” for the next one; “auto” to have the engine detect which of them is spoken.",
            valueName: "language"))
    var choice: String?

    @Flag(help: "Write it as JSON.")
    var json = false

    func run() throws {
        let file = try SettingsFile.ofUser()
        do {
            let settings = try LanguageSettings(file.text())
            let languages = try settings.languages.isEmpty ? administratorsLanguages() : settings.languages
            guard let choice else { return try list(languages, settings) }
            let spoken = try tag(choice, languages, settings, file)
            try file.write(settings.changed(to: spoken))
            if json { return try list(languages, LanguageSettings(file.text())) }
            if spoken == LanguageSettings.automatic {
                Output.confirm(
                    "From the next session on, the engine detects which of your languages is spoken.")
            } else {
                Output.confirm("\(DisplayText.harmless(spoken)) is spoken from the next session on.")
            }
        } catch let error as LanguageSettingsError {
            Output.standardError.writeNotice("\(file.path): \(error)")
            throw ExitStatus.dataError.code
        }
    }

    private func administratorsLanguages() throws -> [String] {
        try LanguageSettings(SettingsFile.ofAdministrator.text()).languages
    }

    private func tag(
        _ choice: String, _ languages: [String], _ settings: LanguageSettings, _ file: SettingsFile
    ) throws -> String {
        if choice == LanguageSettings.automatic { return choice }
        guard languages.count > 1 else {
            Output.standardError.writeNotice(
                translated("Name your languages first: write “language: [en-US, de-DE]” into \(file.path)."))
            throw ExitStatus.dataError.code
        }
        let found =
            choice == "next"
            ? LanguageSettings.next(after: settings.spoken, among: languages)
            : LanguageSettings.spoken(choice, among: languages)
        guard let found else {
            let own = languages.map(DisplayText.harmless).joined(separator: ", ")
            Output.standardError.writeNotice(
                translated("“\(DisplayText.harmless(choice))” is not one of your languages: \(own)."))
            throw ExitStatus.dataError.code
        }
        return found
    }

    private func list(_ languages: [String], _ settings: LanguageSettings) throws {
        let spoken = LanguageSettings.spoken(settings.spoken, among: languages)
        if json {
            return try Output.standardOutput.line(
                JSON.object([
                    ("spoken", .string(spoken ?? LanguageSettings.automatic)),
                    ("languages", .array(languages.map { .string($0) })),
                ]).text)
        }
        for (tag, isSpoken) in [(LanguageSettings.automatic, spoken == nil)]
            + languages.map({ ($0, $0 == spoken) })
        {
            try Output.standardOutput.line((isSpoken ? "* " : "  ") + DisplayText.harmless(tag))
        }
    }
}
