import Foundation

/// A text file that this program writes.
struct SettingsFile {
    let path: String

    /// The user's settings.
    static func ofUser() throws(EngineSetupError) -> SettingsFile {
        SettingsFile(path: try EnginePlaces.configuration(ProcessInfo.processInfo.environment))
    }

    /// The administrator's settings.
    static let ofAdministrator = SettingsFile(path: "/etc/dictation/dictation.yaml")

    /// Its text; empty if there is no file.
    func text() throws -> String {
        guard FileManager.default.fileExists(atPath: path) else { return "" }
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    func write(_ text: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
