import ArgumentParser
import DictationCore
import Foundation
import LanguageFiles
import Localization

struct Shortcut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say which key dictates into the focused window, and how to bind one on this desktop.",
        discussion: """
            Keys are the settings “shortcut” and “language-shortcuts” in ~/.config/dictation/dictation.yaml. The desktop's \
            GlobalShortcuts portal binds them, where there is one; for other desktops the lines to add are printed. Without \
            such keys, GNOME's Dictation extension has Super+D. A tap starts and finishes dictation, and holding the key is \
            push-to-talk.
            """)

    @Argument(
        help: ArgumentHelp(
            "The key for the lines, and with --bind for the settings, as Super+Alt+space.", valueName: "key"))
    var key: String?

    @Flag(
        help:
            "Have the desktop bind the keys, now and in every session: its portal, or GNOME's Dictation extension."
    )
    var bind = false

    @Flag(help: "Write it as JSON.")
    var json = false

    func validate() throws {
        if bind, json { throw ValidationError("--bind excludes --json.") }
        if let key, ShortcutKey(key) == nil {
            throw ValidationError("“\(DisplayText.harmless(key))” is not a key: write \(ShortcutKey.rule).")
        }
    }

    func run() async throws {
        let file = try SettingsFile.ofUser()
        do {
            var settings = try ShortcutSettings(file.text())
            let chosen = key.flatMap { ShortcutKey($0) }
            let environment = ProcessInfo.processInfo.environment
            let hasKeys = chosen != nil || settings.shortcut != nil || !settings.languages.isEmpty
            let shell = hasKeys ? nil : GnomeExtension(environment: environment)
            if bind {
                if let shell, try await turnOn(shell) { return }
                try bind(chosen, settings, file)
                return
            }
            if let chosen { settings.shortcut = chosen }
            let state = await shell?.state()
            var report = await ShortcutReport.present()
            let advice =
                report.bound.isEmpty || chosen != nil
                ? ShortcutAdvice(environment: environment, settings: settings, shell: state) : nil
            // The portal is not needed.
            if advice?.isOfExtension == true { report.reason = nil }
            if json { return try Output.standardOutput.line(report.json(advice, state).text) }
            for sentence in report.sentences { try Output.standardOutput.line(sentence) }
            try advice?.print()
        } catch let error as LanguageFileError {
            let line = error.line.map { ":\($0)" } ?? ""
            Output.standardError.writeNotice("\(file.path)\(line): \(error.message)")
            throw ExitStatus.dataError.code
        } catch let error as SettingsLineError {
            Output.standardError.writeNotice("\(file.path): \(error)")
            throw ExitStatus.dataError.code
        }
    }

    /// False if the extension is of no use here.
    private func turnOn(_ shell: GnomeExtension) async throws -> Bool {
        let environment = ProcessInfo.processInfo.environment
        switch await shell.state() {
        case .missing, .broken, .unknown: return false
        case .on, .off, .unseen: break
        }
        let state = try await shell.turnOn()
        try ShortcutAdvice(environment: environment, shell: state).print()
        return true
    }

    private func bind(_ chosen: ShortcutKey?, _ settings: ShortcutSettings, _ file: SettingsFile) throws {
        let hasKeys = settings.shortcut != nil || !settings.languages.isEmpty
        if let key = chosen ?? (hasKeys ? nil : .proposed) {
            try file.write(settings.changed(to: key))
        }
        do {
            try ShortcutUnit().enable()
        } catch let error as EngineSetupError {
            Output.standardError.writeNotice("\(error)")
            throw ExitStatus.unavailable.code
        }
        Output.standardError.writeNotice(
            translated(
                "The desktop may ask you to confirm the key. “dictation-cli shortcut” says what it has bound."
            )
        )
    }
}
