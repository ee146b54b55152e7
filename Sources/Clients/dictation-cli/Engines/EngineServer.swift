import Foundation
import Localization

/// A server of the Wyoming protocol that somebody else runs.
struct EngineServer {
    let entry: EngineSettings.Entry

    /// - Parameters:
    ///   - address: `unix:PATH` or `tcp://HOST:PORT`.
    ///   - name: in the settings; nil for `server`.
    init(address: String, name: String?) throws(EngineSetupError) {
        let name = name ?? "server"
        guard name.wholeMatch(of: /[a-z0-9-]{1,32}/) != nil,
            !["pocketsphinx", "scripted", "none"].contains(name), EngineKind(rawValue: name) == nil
        else {
            throw EngineSetupError(
                "The name of a server has lower-case letters, digits and hyphens, and is not that of another engine."
            )
        }
        let isSocket = address.wholeMatch(of: /unix:\/[^\s"\\]+/) != nil
        let isTCP = address.wholeMatch(of: /tcp:\/\/[\w.:\[\]-]+:[0-9]{1,5}/.asciiOnlyWordCharacters()) != nil
        guard isSocket || isTCP else {
            throw EngineSetupError("A server's address is unix:PATH or tcp://HOST:PORT, not “\(address)”.")
        }
        entry = EngineSettings.Entry(name: name, address: address)
    }

    func add(language: String?) throws {
        let file = try Self.settings()
        try file.write(EngineSettings(file.text()).adding(entry, language: language))
        try DictationUnits.restart()
        if entry.address.hasPrefix("unix:"),
            try !EngineAnswer.answers(at: String(entry.address.dropFirst("unix:".utf8.count)))
        {
            Output.standardError.writeNotice(translated("No server answers at \(entry.address) now."))
        }
        Output.standardError.writeNotice(
            translated(
                "The server \(entry.name) is in the settings. “dictation-cli engines” shows whether it answers."
            ))
    }

    static func remove(_ name: String) throws {
        let file = try settings()
        let settings = try EngineSettings(file.text())
        guard settings.contains(name) else {
            throw EngineSetupError("“engines add” has added no engine “\(name)”.")
        }
        try file.write(settings.removing(name))
        try DictationUnits.restart()
        Output.standardError.writeNotice(translated("The server \(name) is no longer used."))
    }

    private static func settings() throws(EngineSetupError) -> SettingsFile {
        try .ofUser()
    }
}

/// What `--language` may be.
enum LanguageArgument {
    /// Whether it looks like a BCP 47 tag.
    static func isValid(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*/) != nil
    }
}
