import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc

extension Rig {
    /// The folder of journals.
    var journalFolder: String { environment["XDG_RUNTIME_DIR", default: ""] + "/dictation" }

    /// Regular files, also without a name, that the worker has open, by their names.
    private func openFiles() throws -> [String: Data] {
        let folder = "/proc/\(try workerPid())/fd"
        var files: [String: Data] = [:]
        for number in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let path = "\(folder)/\(number)"
            guard let contents = try contents(ofFile: path),
                let name = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            else { continue }
            files["\(number) \(name)"] = contents
        }
        return files
    }

    /// Nil if it is no regular file, or was removed or closed meanwhile.
    private func contents(ofFile path: String) throws -> Data? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        }
    }

    /// The names of the journals.
    func journalNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: journalFolder).filter { $0.hasPrefix("journal-") }
    }

    /// Bytes that the journals use. Replaced contents are holes in their files.
    func journalSize() throws -> Int {
        try journalNames().reduce(0) { sum, name in
            var status = stat()
            return stat("\(journalFolder)/\(name)", &status) == 0 ? sum + 512 * Int(status.st_blocks) : sum
        }
    }

    /// The journals of the worker, as it has them open.
    func journals() throws -> [Data] {
        try openFiles().filter { $0.key.contains("journal-") }.map(\.value)
    }

    /// Where this text is: in what the worker has open, and in the runtime folder.
    func traces(of text: String) throws -> [String] {
        var files = try openFiles()
        let folder = environment["XDG_RUNTIME_DIR", default: ""]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let path = "\(folder)/\(name)"
            files[path] = try contents(ofFile: path)
        }
        return files.filter { $0.value.contains(Data(text.utf8)) }.map(\.key)
    }

    /// Kills the daemon.
    func crash() async throws {
        daemon.kill()
        _ = try await daemon.exitStatus()
        try checkLog()
    }

    func crashAndReplaceDaemon() async throws {
        try await crash()
        try await replaceDaemon()
    }

    /// Says `t500`, or another tone, and waits until the journal has its text.
    func speak(_ tone: Int = 500, into microphone: DriverMicrophone) async throws {
        try await say(Speech.tones(tone) + Speech.silence(1.5), into: microphone)
        try await eventually("the text is in the journal") { try !traces(of: "t\(tone)").isEmpty }
    }
}

extension [BusText: Value] {
    /// Of a session's report.
    var text: String {
        if case .string(let text)? = self[SessionKey.text] { "\(text)" } else { "" }
    }

    var words: [String] { text.split(separator: " ").map(String.init) }

    var state: String {
        if case .string(let state)? = self[SessionKey.state] { "\(state)" } else { "" }
    }

    /// In frames.
    func dropouts() throws -> Int {
        guard case .uint64(let frames)? = self[SessionKey.dropouts] else {
            throw TestFailure("no dropouts: \(self)")
        }
        return Int(frames)
    }
}
