import EventLoop
import Foundation
import Glibc

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

    /// The file keeps its mode, and a link to it stays: people have their settings under version control.
    func write(_ text: String) throws {
        let target = try target()
        let folder = URL(filePath: target).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var status = stat()
        let isThere = stat(target, &status) == 0
        try TextFile.replace(target, with: text, mode: isThere ? status.st_mode & 0o777 : 0o600)
    }

    /// The path of the file itself, which may not exist yet.
    private func target() throws -> String {
        var path = path
        // As many as the kernel follows.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
                return path
            }
            path = URL(filePath: next, relativeTo: URL(filePath: path).deletingLastPathComponent()).path
        }
        throw EventLoopError(call: "readlink", code: ELOOP)
    }
}
