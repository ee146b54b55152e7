import DictationTestKit
import Foundation
import Testing

/// The units are valid, and their sandbox is as strict as possible.
@Suite struct UnitTests {
    private static let units = repository.appending(path: "packaging/systemd")

    /// The installed unit in a temporary folder, with another program, because the real one may be missing.
    private func installed(
        _ unit: String, with dropIn: String? = nil
    ) throws -> (folder: TemporaryDirectory, path: String) {
        let folder = try TemporaryDirectory()
        let text = try String(contentsOf: Self.units.appending(path: unit), encoding: .utf8)
        let name = URL(filePath: unit).lastPathComponent
        // A path unit starts a service.
        if unit.hasSuffix(".path") {
            let service = unit.replacing(/path$/, with: "service")
            let text = try String(contentsOf: Self.units.appending(path: service), encoding: .utf8)
            try folder.write(
                text.replacing(/@libexecdir@\/[a-z-]+/, with: "/bin/true"),
                to: URL(filePath: service).lastPathComponent)
        }
        let program = /@libexecdir@\/[a-z-]+|\/usr\/bin\/python3/
        let path = try folder.write(text.replacing(program, with: "/bin/true"), to: name)
        if let dropIn {
            let text = try String(contentsOf: Self.units.appending(path: dropIn), encoding: .utf8)
            try folder.write(text, to: "\(name).d/drop-in.conf")
        }
        return (folder, path)
    }

    /// Tenths, as `systemd-analyze` counts.
    @Test(arguments: [
        ("system/dictation.service", nil, 10), ("user/dictation.service", "user/sandbox.conf", 10),
        ("user/dictation.service", nil, 60), ("user/dictation-worker.service", nil, 60),
        ("system/dictation-engine-whisper.service", nil, 10),
        ("system/dictation-engine-whisper.service", "system/dictation-engine-whisper-gpu.conf", 20),
    ])
    func theExposureIsBounded(unit: String, dropIn: String?, limit: Int) async throws {
        let (folder, path) = try installed(unit, with: dropIn)
        let result = try await ChildProcess.run([
            "systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=\(limit)", path,
        ])
        #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
        #expect(result.output.contains("Overall exposure level"))
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [
        ("system/dictation.service", "--system"), ("user/dictation.service", "--user"),
        ("user/dictation-worker.service", "--user"), ("user/dictation-worker.path", "--user"),
        ("system/dictation-engine-whisper.service", "--system"),
    ])
    func theManagerUnderstandsEveryLine(unit: String, manager: String) async throws {
        let (folder, path) = try installed(unit)
        let result = try await ChildProcess.run(
            ["systemd-analyze", "verify", manager, "--man=no", "--recursive-errors=no", path],
            adding: ["XDG_RUNTIME_DIR": folder.path])
        #expect(result.status == .exited(0), "\(result.errors)")
        #expect(!result.errors.contains(folder.path), "\(result.errors)")
    }

    @Test(arguments: [
        "system/dictation.service", "user/dictation.service", "user/dictation-worker.service",
        "system/dictation-engine-whisper.service",
    ])
    func memoryAndThreadsAreLimited(unit: String) throws {
        let lines = try String(contentsOf: Self.units.appending(path: unit), encoding: .utf8)
            .split(separator: "\n")
        #expect(lines.contains { $0.wholeMatch(of: /MemoryMax=[0-9]+[MG]/) != nil })
        #expect(lines.contains { $0.wholeMatch(of: /TasksMax=[0-9]+/) != nil })
        if unit.hasSuffix("/dictation.service") { #expect(lines.contains("LimitNOFILE=8192")) }
    }

    /// A user has one service: the packages for the two buses cannot be installed together.
    @Test func thePackagesOfTheTwoBusesExcludeEachOther() throws {
        let file = repository.appending(path: "packaging/debian/control")
        let packages = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n\n")
        for (package, other) in [("dictation", "dictation-session"), ("dictation-session", "dictation")] {
            let text = try #require(packages.first { $0.hasPrefix("Package: \(package)\n") })
            #expect(text.contains("Conflicts:\n \(other),\n"))
        }
    }

    @Test func theUsersServiceStartsWhereUserNamespacesAreForbidden() throws {
        // By systemd.exec(5), these need namespaces or privileges that a user's manager may not have.
        let needing = [
            "Private", "Protect", "CapabilityBoundingSet", "AmbientCapabilities", "ReadWritePaths",
            "ReadOnlyPaths", "InaccessiblePaths", "TemporaryFileSystem", "BindPaths", "BindReadOnlyPaths",
            "RootDirectory", "DevicePolicy", "ProcSubset",
        ]
        for unit in ["dictation.service", "dictation-worker.service"] {
            let text = try String(contentsOf: Self.units.appending(path: "user/\(unit)"), encoding: .utf8)
            for line in text.split(separator: "\n") {
                #expect(!needing.contains { line.hasPrefix($0) }, "\(unit): \(line)")
            }
        }
    }

    @Test func theBusStartsWhatTheUnitsStart() throws {
        for (activation, unit) in [
            ("dbus/system/org.example.Dictation.service", "system/dictation.service"),
            ("dbus/org.example.Dictation.service", "user/dictation.service"),
        ] {
            let file = try String(contentsOf: repository.appending(path: activation), encoding: .utf8)
            let service = try String(contentsOf: Self.units.appending(path: unit), encoding: .utf8)
            let command = try #require(file.firstMatch(of: /\nExec=(.*)\n/)?.1)
            #expect(service.contains("\nExecStart=\(command)\n"))
            #expect(service.contains("\nBusName=org.example.Dictation\n"))
            #expect(file.contains("\nSystemdService=dictation.service\n"))
        }
    }
}
