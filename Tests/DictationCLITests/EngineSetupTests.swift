import DictationTestKit
import Foundation
import Testing

@testable import dictation_cli

/// The files of `engines add`. The tests of the service use the engine itself.
@Suite struct EngineSetupTests {
    private static let environment = ["HOME": "/home/ann", "XDG_RUNTIME_DIR": "/run/user/1000"]

    private func unit(model: String = "base-int8") throws -> EngineUnit {
        EngineUnit(
            places: try EnginePlaces(.whisper, environment: Self.environment), model: model, language: "en",
            threads: 2)
    }

    @Test func theUnitIsSandboxed() async throws {
        let folder = try TemporaryDirectory()
        let text = try unit().text.replacing(/ExecStart=\S+/, with: "ExecStart=/bin/true")
        let path = try folder.write(text, to: "dictation-engine-whisper.service")
        let result = try await ChildProcess.run([
            "systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=15", path,
        ])
        #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
        let verified = try await ChildProcess.run(
            ["systemd-analyze", "verify", "--user", "--man=no", "--recursive-errors=no", path],
            adding: ["XDG_RUNTIME_DIR": folder.path])
        #expect(!verified.errors.contains(folder.path), "\(verified.errors)")
    }

    @Test func theUnitKeepsNoText() throws {
        let text = try unit(model: "/srv/models/small").text
        #expect(text.contains("\nStandardOutput=null\nStandardError=null\n"))
        #expect(text.contains("TMPDIR=/run/user/1000/dictation-engine-whisper "))
        #expect(text.contains("\nRuntimeDirectory=dictation-engine-whisper\n"))
        #expect(text.contains("\nPrivateNetwork=yes\n"))
        #expect(text.contains("--local-files-only"))
        #expect(
            text.contains(
                "BindReadOnlyPaths=/home/ann/.local/share/dictation/engines/whisper /srv/models/small\n"))
    }

    @Test func theSettingsAreAddedAndRemovedAsAWhole() throws {
        let settings = EngineSettings(name: "whisper", socket: "/run/user/1000/e.sock")
        for text in ["", "language: en-US\n", "# mine\nauto-commit: 1500"] {
            let added = try settings.added(to: text)
            #expect(added.contains("\nengine: [whisper, pocketsphinx]\n"))
            #expect(try settings.added(to: added) == added)
            let rest = settings.removed(from: added)
            #expect(rest == text || rest == text + "\n")
        }
        #expect(throws: EngineSetupError.self) { try settings.added(to: "engine: pocketsphinx\n") }
        #expect(throws: EngineSetupError.self) { try settings.added(to: "engines: []\n") }
    }

    @Test func refusesPathsThatAUnitCannotContain() {
        #expect(throws: EngineSetupError.self) {
            try EnginePlaces(
                .whisper, environment: ["HOME": "/home/a b", "XDG_RUNTIME_DIR": "/run/user/1000"])
        }
        #expect(throws: EngineSetupError.self) { try EnginePlaces(.whisper, environment: ["HOME": "/h"]) }
    }
}
