import DictationTestKit
import Foundation
import Glibc
import Testing

@testable import dictation_cli

/// The files of `engines add`. The tests of the service use the engine itself.
@Suite struct EngineSetupTests {
    private static let environment = ["HOME": "/home/ann", "XDG_RUNTIME_DIR": "/run/user/1000"]

    private func unit(model: String = "base-int8") throws -> EngineUnit {
        EngineUnit(
            places: try EnginePlaces(.whisper, environment: Self.environment), model: try EngineModel(model),
            language: "en", threads: 2)
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
        let folder = try TemporaryDirectory()
        let text = try unit(model: folder.path).text
        #expect(text.contains("\nStandardOutput=null\nStandardError=null\n"))
        #expect(text.contains("TMPDIR=/run/user/1000/dictation-engine-whisper "))
        #expect(text.contains("\nRuntimeDirectory=dictation-engine-whisper\n"))
        #expect(text.contains("\nPrivateNetwork=yes\n"))
        #expect(text.contains("--local-files-only"))
        #expect(
            text.contains(
                "BindReadOnlyPaths=/home/ann/.local/share/dictation/engines/whisper \(folder.path)\n"))
    }

    @Test func aModelIsANameOrAFolder() throws {
        for name in ["base-int8", "tiny.en", "Systran/faster-whisper-small"] {
            let model = try EngineModel(name)
            #expect(model.argument == name && !model.isFolder && model.paths.isEmpty)
        }
        for name in [
            "", "two words", "a/b/c", "-o", "tiny\nExecStart=/bin/sh", "/nowhere", "./nowhere", "/etc/passwd",
        ] {
            #expect(throws: EngineSetupError.self, "\(name)") { try EngineModel(name) }
        }
        let folder = try TemporaryDirectory()
        try folder.write("", to: "model/config.json")
        let other = try TemporaryDirectory()
        try other.write("", to: "model.bin")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "model/model.bin"), withDestinationPath: other.path(of: "model.bin"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "link"), withDestinationPath: "model")
        let model = try EngineModel(folder.path(of: "link"))
        #expect(model.argument == folder.path(of: "model"))
        // The engine sees nothing else of the other folder.
        #expect(model.paths == [folder.path(of: "model"), other.path(of: "model.bin")])
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

    /// A server that answers, and one whose library fails.
    @Test(arguments: [true, false]) func anEngineMustRecogniseSomething(works: Bool) async throws {
        let folder = try TemporaryDirectory()
        let whisper = try await ChildProcess.run([repository.appending(path: "packaging/whisper").path])
        let python = whisper.output.trimmingCharacters(in: .newlines) + "/bin/python"
        let program = """
            import asyncio, sys
            from wyoming.asr import Transcript
            from wyoming.audio import AudioStop
            from wyoming.server import AsyncEventHandler, AsyncServer

            class Handler(AsyncEventHandler):
                async def handle_event(self, event):
                    if AudioStop.is_type(event.type):
                        if not \(works ? "True" : "False"):
                            raise TypeError("metadata_errors")
                        await self.write_event(Transcript("").event())
                    return True

            asyncio.run(AsyncServer.from_uri("unix://" + sys.argv[1]).run(Handler))
            """
        let socket = folder.path(of: "engine.sock")
        let server = try ChildProcess([python, "-c", program, socket])
        defer { server.kill() }
        try await eventually("it listens") { FileManager.default.fileExists(atPath: socket) }
        if works {
            try EngineTrial.run(python: python, socket: socket)
        } else {
            #expect(throws: EngineSetupError.self) { try EngineTrial.run(python: python, socket: socket) }
        }
    }

    @Test func refusesPathsThatAUnitCannotContain() {
        #expect(throws: EngineSetupError.self) {
            try EnginePlaces(
                .whisper, environment: ["HOME": "/home/a b", "XDG_RUNTIME_DIR": "/run/user/1000"])
        }
        #expect(throws: EngineSetupError.self) { try EnginePlaces(.whisper, environment: ["HOME": "/h"]) }
    }
}
