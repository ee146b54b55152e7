import DictationClient
import Foundation
import LanguageFiles
import Localization

/// The questions of `setup`, on a terminal.
struct SetupDialog {
    let client: DictationClient
    let environment: [String: String]

    /// Whether this program may listen. Asked once.
    func permission() async throws {
        let permission = try await client.checkPermission()
        if [permission.microphone, permission.speech].contains(.notDetermined) {
            try heading("Permission")
            try say("You are asked whether this program may listen: by a window of the desktop, or here.")
        }
        try await OwnPermission.request(client)
    }

    /// The microphone, its sound and a spoken sentence.
    func microphone() async throws {
        try heading("Microphone")
        let present = try await client.routes().filter(\.isAvailable)
        guard !present.isEmpty else {
            throw DictationError(
                .noSource,
                message: translated(
                    "There is no microphone. Plug one in, or turn it on in the sound settings, and run this again."
                ))
        }
        if present.count > 1 { try await choose(among: present) }
        repeat {
            try say("Say a sentence; q ends the test.")
            var options = StartOptions()
            options.autoCommit = .seconds(1)
            options.sendsLevels = true
            options.keepsTexts = false
            options.isFiltered = false
            var listener = try Listener(
                client: client, options: options, style: .live, endsAfterFirst: true, hasMeter: true)
            try await listener.run()
        } while try !isConfirmed("Was that about right?")
    }

    private func choose(among routes: [Route]) async throws {
        for (number, route) in routes.enumerated() {
            try write("  \(number + 1)  \(DisplayText.harmless(route.title))")
        }
        let used = routes.firstIndex(where: \.isSelected) ?? routes.firstIndex(where: \.isDefault) ?? 0
        while true {
            let answer = try ask("Which one?", usual: "\(used + 1)")
            guard let number = Int(answer), routes.indices.contains(number - 1) else {
                try say("Answer with a number from 1 to \(routes.count).")
                continue
            }
            if number - 1 != used { try await client.selectRoute(named: routes[number - 1].name) }
            return
        }
    }

    /// The language, and an engine that gets it right.
    func engine() async throws {
        try heading("Language and speech engine")
        let information = try await client.information()
        let usual = try await client.status().language ?? "en-US"
        var language = try ask("Which language do you speak? A tag such as en-US or de.", usual: usual)
        while !LanguageArgument.isValid(language) {
            language = try ask(
                "That is no BCP 47 tag, such as en-US, de or pt-BR. Which language?", usual: usual)
        }
        if language != usual { try write(language: language) }
        if let better = information.engines.first(where: { $0.isPreferred && $0.name != "pocketsphinx" }) {
            try say("The engine \(DisplayText.harmless(better.name)) is set up already.")
            return
        }
        try say(
            "PocketSphinx, which is part of the service, gets many words wrong. Whisper gets far fewer wrong:"
        )
        try write(Engines.Add.models)
        guard try isConfirmed("Set up Whisper with the largest of tiny.en and base that is fast enough here?")
        else {
            return
        }
        do {
            try EngineSetup(kind: .whisper).add(model: nil, language: nil)
        } catch {
            try write("\(error)")
            try say("Dictation works without it. “dictation-cli engines add whisper” tries again.")
        }
    }

    /// One of the user's languages becomes the one that is spoken; another one becomes the language of the settings.
    private func write(language: String) throws {
        let file = try SettingsFile.ofUser()
        do {
            let text = try file.text()
            let settings = try LanguageSettings(text)
            let isOne = settings.languages.count > 1 && settings.languages.contains(language)
            try file.write(
                isOne ? settings.changed(to: language) : SettingsLine.changed(text, "language", to: language))
        } catch {
            try write("\(file.path): \(error)")
        }
    }

    /// Whether texts are kept. Asked once: an answer is in the settings.
    func history() throws {
        let settings = try SettingsFile.ofUser().text()
        guard !settings.split(separator: "\n").contains(where: { $0.hasPrefix("history:") }) else { return }
        try heading("Last texts")
        try say(
            "Dictated texts can be kept for 7 days, to copy them later: on this computer, for you alone, never those for passwords."
        )
        let isWanted = try isConfirmed("Keep the last texts?", usual: "n")
        try HistoryLifetime(isWanted ? "7 days" : "off")?.write()
    }

    func key() async throws {
        try heading("Key")
        let shell = GnomeExtension(environment: environment)
        var state = await shell?.state()
        if let shell, state == .off || state == .unseen(isChosen: false),
            try isConfirmed("Turn on the key Super+D, which GNOME's Dictation extension has?")
        {
            state = try await shell.turnOn()
        }
        try ShortcutAdvice(environment: environment, shell: state).print()
    }

    // MARK: The terminal

    private func heading(_ message: UserText) throws {
        try write("")
        try write(StyledLine(message.description, .bold).rendered(inColour: Terminal.hasColour))
    }

    private func say(_ message: UserText) throws { try write(message.description) }

    private func write(_ text: String) throws { try Output.standardOutput.line(text) }

    /// - Parameter usual: the answer of an empty line.
    private func ask(_ question: UserText, usual: String) throws -> String {
        try Output.standardOutput.write("\(question) [\(usual)] ")
        guard let line = readLine() else { throw ExitStatus.interrupted.code }
        let answer = line.trimmingCharacters(in: .whitespaces)
        return answer.isEmpty ? usual : answer
    }

    private func isConfirmed(_ question: UserText, usual: String = "y") throws -> Bool {
        while true {
            switch try ask(question, usual: usual).lowercased() {
            case "y", "yes": return true
            case "n", "no": return false
            default: try say("Answer y or n.")
            }
        }
    }
}
