import EventLoop
import Foundation
import Glibc
import LanguageFiles
import Localization

/// Sets up an engine of the user's own, or removes it.
struct EngineSetup {
    let places: EnginePlaces

    init(kind: EngineKind) throws(EngineSetupError) {
        places = try EnginePlaces(kind, environment: ProcessInfo.processInfo.environment)
    }

    /// - Parameters:
    ///   - model: a name or a folder; nil for what is fast enough here.
    ///   - language: what will be spoken, for the settings; nil leaves what they say.
    func add(model: String?, language: String?) throws {
        var argument: String?
        if let model { argument = try EngineModel.argument(model) }
        let file = SettingsFile(path: places.configuration)
        let entry = EngineSettings.Entry(name: places.kind.rawValue, address: "unix:\(places.socket)")
        // Refused before anything is installed.
        _ = try EngineSettings(file.text()).adding(entry, language: language)

        let program = try EngineProgram.ofProgram()
        let wasThere = FileManager.default.fileExists(atPath: places.folder)
        let languages = try language.map { [$0] } ?? spokenLanguages(file)
        let facts = try program.setUp(in: places.folder, model: argument, languages: languages)
        do {
            let unit = EngineUnit(
                places: places, program: program, facts: facts, model: try EngineModel(folder: facts.model))
            try start(unit)
            // The user may have changed the file meanwhile.
            try file.write(EngineSettings(file.text()).adding(entry, language: language))
        } catch {
            try? removeUnits()
            if !wasThere { try? removeFolder() }
            throw error
        }
        try DictationUnits.restart()
        Output.standardError.writeNotice(
            translated(
                "The engine \(entry.name) answers at \(places.socket). “dictation-cli engines” shows it."))
    }

    /// A model must know all of them.
    private func spokenLanguages(_ file: SettingsFile) throws -> [String] {
        let own = try LanguageSettings(file.text()).languages
        return try own.isEmpty ? LanguageSettings(SettingsFile.ofAdministrator.text()).languages : own
    }

    func remove() throws {
        try removeUnits()
        try removeFolder()
        let file = SettingsFile(path: places.configuration)
        let settings = try EngineSettings(file.text())
        if settings.contains(places.kind.rawValue) {
            try file.write(settings.removing(places.kind.rawValue))
            try DictationUnits.restart()
        }
        Output.standardError.writeNotice(translated("The engine \(places.kind.rawValue) is removed."))
    }

    private func start(_ unit: EngineUnit) throws {
        // An engine that runs with another model ends here.
        if FileManager.default.fileExists(atPath: places.socketUnit) { try removeUnits() }
        try SettingsFile(path: places.socketUnit).write(unit.socket)
        try SettingsFile(path: places.unit).write(unit.service)
        try Program.run(["systemctl", "--user", "daemon-reload"])
        try Program.run(["systemctl", "--user", "enable", "--now", places.socketUnitName])
        // The unit must work with its sandbox. Later the first client starts it.
        try Program.run(["systemctl", "--user", "start", places.unitName])
        guard try EngineAnswer.answers(at: places.socket) else {
            throw EngineSetupError(
                "The engine does not start. “journalctl --user -u \(places.unitName)” may show why.")
        }
    }

    private func removeUnits() throws {
        let present = [places.socketUnit, places.unit].filter { FileManager.default.fileExists(atPath: $0) }
        guard !present.isEmpty else { return }
        if present.contains(places.socketUnit) {
            try Program.run(["systemctl", "--user", "disable", "--now", places.socketUnitName])
        } else {
            // From a release without a socket.
            try Program.run(["systemctl", "--user", "disable", places.unitName])
        }
        try Program.run(["systemctl", "--user", "stop", places.unitName])
        for path in present { try FileManager.default.removeItem(atPath: path) }
        rmdir(places.socketFolder)
        try Program.run(["systemctl", "--user", "daemon-reload"])
    }

    private func removeFolder() throws {
        if FileManager.default.fileExists(atPath: places.folder) {
            try FileManager.default.removeItem(atPath: places.folder)
        }
        // The parent folders, if they are empty.
        var folder = URL(filePath: places.folder)
        for _ in 0..<2 {
            folder.deleteLastPathComponent()
            rmdir(folder.path)
        }
    }
}

/// The service of the user's session, and the worker for the service of the machine.
enum DictationUnits {
    /// They may have had no folder to watch.
    static func restart() throws(EngineSetupError) {
        for unit in ["dictation.service", "dictation-worker.service"]
        where Program.succeeds(["systemctl", "--user", "--quiet", "is-active", unit]) {
            try Program.run(["systemctl", "--user", "restart", unit])
        }
    }
}
