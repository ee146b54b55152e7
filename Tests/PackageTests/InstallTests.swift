import DictationRig
import DictationTestKit
import Foundation
import Testing

/// `packaging/install`, the list of installed files.
@Suite struct InstallTests {
    /// Installs the programs that were built, and returns the folder.
    private func installed(_ variables: [String]) async throws -> (
        folder: TemporaryDirectory, status: ChildProcess.ExitStatus, errors: String
    ) {
        let folder = try TemporaryDirectory()
        let programs = URL(filePath: executable("dictationd")).deletingLastPathComponent().path
        let result = try await ChildProcess.run(
            [repository.appending(path: "packaging/install").path, folder.path, "programs=\(programs)"]
                + variables,
            within: .seconds(60))
        return (folder, result.status, result.errors)
    }

    /// The text files below a folder, by their paths there.
    private func texts(in folder: TemporaryDirectory) throws -> [String: String] {
        let enumerator = try #require(FileManager.default.enumerator(atPath: folder.path))
        var texts: [String: String] = [:]
        for case let path as String in enumerator {
            guard let data = FileManager.default.contents(atPath: folder.path(of: path)), data.count < 1 << 20
            else { continue }
            texts[path] = String(data: data, encoding: .utf8)
        }
        return texts
    }

    @Test func unitsAndBusFilesHaveThePathsOfTheVariables() async throws {
        let (folder, status, errors) = try await installed([
            "prefix=/opt/dictation", "libexecdir=/opt/dictation/lib/programs", "parts=common system session",
        ])
        #expect(status == .exited(0), "\(errors)")
        let texts = try texts(in: folder)
        #expect(texts.count > 60)
        for (path, text) in texts {
            #expect(!text.contains(/@[a-z]+dir@/), "\(path)")
            #expect(path.hasPrefix("opt/dictation/"), "\(path)")
            guard path.hasSuffix(".service") || path.hasSuffix(".desktop") else { continue }
            #expect(!text.contains("/usr/"), "\(path)")
        }
        for path in [
            "lib/systemd/system/dictation.service", "lib/systemd/user/dictation.service",
            "share/dbus-1/services/org.example.Dictation.service",
            "share/dbus-1/system-services/org.example.Dictation.service",
        ] {
            let text = try #require(texts["opt/dictation/\(path)"], "\(path)")
            #expect(text.contains("=/opt/dictation/lib/programs/dictationd --bus "), "\(path)")
        }
    }

    @Test(arguments: [
        ("nothing=/usr", "There is no variable 'nothing'"), ("prefix=usr", "a path begins with /"),
        ("prefix=/a b", "a path begins with /"), ("parts=all", "There is no part 'all'"),
    ])
    func wrongVariablesAreRefused(variable: String, message: String) async throws {
        let (folder, status, errors) = try await installed([variable])
        #expect(status == .exited(64))
        #expect(errors.contains(message), "\(errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func theSettingsSayWhatTheyNeedWhereItIsMissing() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("raise ImportError(\"No module named 'gi'\")\n", to: "gi.py")
        let run = try await ChildProcess.run(
            ["/usr/bin/python3", repository.appending(path: "packaging/settings/dictation-settings").path],
            adding: ["PYTHONPATH": folder.path])
        #expect(run.status == .exited(69))
        #expect(run.errors.contains("No module named 'gi'.\nIt needs GTK 4"))
    }

    /// A version has one section, the latest first.
    @Test func theChangelogHasOneSectionForEachVersion() throws {
        let file = repository.appending(path: "packaging/CHANGELOG.md")
        let heads = try String(contentsOf: file, encoding: .utf8).matches(of: /\n## (.*)\n/).map { $0.1 }
        #expect(!heads.isEmpty)
        for head in heads { #expect(head.wholeMatch(of: /\d+\.\d+\.\d+/) != nil, "\(head)") }
        #expect(Set(heads).count == heads.count)
    }

    @Test func theReadmeIsShort() throws {
        let readme = try String(contentsOf: repository.appending(path: "README.md"), encoding: .utf8)
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    }
}
