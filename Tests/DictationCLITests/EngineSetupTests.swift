import DictationTestKit
import Foundation
import Glibc
import Testing

@testable import dictation_cli

/// The files of `engines add`. The tests of the service use the engine itself.
@Suite struct EngineSetupTests {
    private static let environment = ["HOME": "/home/ann", "XDG_RUNTIME_DIR": "/run/user/1000"]

    private func unit(model: String) throws -> EngineUnit {
        EngineUnit(
            places: try EnginePlaces(.whisper, environment: Self.environment),
            program: EngineProgram(folder: "/usr/share/dictation/engine"),
            facts: EngineFacts(
                python: "/home/ann/.local/share/dictation/engines/whisper/venv/bin/python", model: model,
                name: "base", threads: 2, memory: 175_000_000), model: try EngineModel(folder: model))
    }

    @Test func theUnitsAreSandboxedAndValid() async throws {
        let folder = try TemporaryDirectory()
        let unit = try unit(model: folder.path)
        let text = unit.service.replacing(/ExecStart=\S+/, with: "ExecStart=/bin/true")
        let path = try folder.write(text, to: unit.places.unitName)
        let socket = try folder.write(unit.socket, to: unit.places.socketUnitName)
        let result = try await ChildProcess.run([
            "systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=15", path,
        ])
        #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
        let verified = try await ChildProcess.run(
            ["systemd-analyze", "verify", "--user", "--man=no", "--recursive-errors=no", path, socket],
            adding: ["XDG_RUNTIME_DIR": folder.path])
        #expect(!verified.errors.contains(folder.path), "\(verified.errors)")
    }

    @Test func theUnitKeepsNoTextAndHasNoNetwork() throws {
        let folder = try TemporaryDirectory()
        let unit = try unit(model: folder.path)
        #expect(unit.service.contains("\nStandardOutput=null\n"))
        #expect(unit.service.contains("\nLimitCORE=0\n"))
        #expect(unit.service.contains("\nPrivateNetwork=yes\n"))
        // The engine sees nothing else of the user's files.
        #expect(
            unit.service.contains(
                "BindReadOnlyPaths=/home/ann/.local/share/dictation/engines/whisper /usr/share/dictation/engine \(folder.path)\n"
            ))
        #expect(
            unit.socket.contains(
                "\nListenStream=/run/user/1000/dictation-engine-whisper/engine.sock\nSocketMode=0600\n"))
    }

    @Test func aModelIsANameOrAFolder() throws {
        for name in ["base", "tiny.en", "turbo"] { #expect(try EngineModel.argument(name) == name) }
        for name in [
            "", "two words", "a/b", "-o", "tiny\nExecStart=/bin/sh", "/nowhere", "./nowhere", "/etc/passwd",
        ] {
            #expect(throws: EngineSetupError.self, "\(name)") { try EngineModel.argument(name) }
        }
        let folder = try TemporaryDirectory()
        try folder.write("", to: "model/config.json")
        let other = try TemporaryDirectory()
        try other.write("", to: "model.bin")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "model/model.bin"), withDestinationPath: other.path(of: "model.bin"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "link"), withDestinationPath: "model")
        #expect(try EngineModel.argument(folder.path(of: "link")) == folder.path(of: "model"))
        let model = try EngineModel(folder: folder.path(of: "link"))
        // The engine sees nothing else of the other folder.
        #expect(model.paths == [folder.path(of: "model"), other.path(of: "model.bin")])
    }

    @Test func theSettingsAreAddedAndRemovedAsAWhole() throws {
        let whisper = EngineSettings.Entry(name: "whisper", address: "unix:/run/user/1000/e.sock")
        for text in ["", "language: en-US\n", "# mine\nauto-commit: 1500"] {
            let added = try EngineSettings(text).adding(whisper)
            #expect(added.contains("\nengine: [whisper, pocketsphinx]\n"))
            #expect(try EngineSettings(added).adding(whisper) == added)
            let rest = EngineSettings(added).removing("whisper")
            #expect(rest == text || rest == text + "\n")
            #expect(EngineSettings(rest).removing("whisper") == rest)
        }
        for text in ["engine: pocketsphinx\n", "engines: []\n"] {
            #expect(throws: EngineSetupError.self) { try EngineSettings(text).adding(whisper) }
        }
    }

    @Test func theLanguageIsWrittenUnlessTheUserHasOne() throws {
        let whisper = EngineSettings.Entry(name: "whisper", address: "unix:/run/user/1000/e.sock")
        let added = try EngineSettings("auto-commit: 1500\n").adding(whisper, language: "de")
        #expect(added.contains("\nlanguage: de\n"))
        // Another setup keeps it.
        #expect(try EngineSettings(added).adding(whisper).contains("\nlanguage: de\n"))
        #expect(EngineSettings(added).removing("whisper") == "auto-commit: 1500\n")
        // The window with the settings writes several into the same place.
        for several in [
            "language:\n  - de\n  - en-US\n", "language:\n- de\n- en-US\n", "language: [de, en-US]\n",
        ] {
            let changed = added.replacing("language: de\n", with: several)
            #expect(try EngineSettings(changed).adding(whisper) == changed)
        }
        #expect(throws: EngineSetupError.self) {
            try EngineSettings("language: fr-FR\n").adding(whisper, language: "de")
        }
    }

    @Test func theEngineThatWasAddedLastIsUsedAndTheOthersStay() throws {
        let whisper = EngineSettings.Entry(name: "whisper", address: "unix:/run/user/1000/e.sock")
        let server = try EngineServer(address: "tcp://127.0.0.1:10300", name: "moonshine").entry
        let both = try EngineSettings(EngineSettings("").adding(whisper)).adding(server)
        #expect(both.contains("\nengine: [moonshine, whisper, pocketsphinx]\n"))
        #expect(both.contains("wyoming: \"tcp://127.0.0.1:10300\""))
        #expect(try EngineSettings(both).removing("moonshine") == EngineSettings("").adding(whisper))
        // A block whose end was removed is the user's.
        let cut = both.replacing(/# end.*\n/, with: "")
        #expect(EngineSettings(cut).removing("whisper") == cut)
    }

    @Test func aServerHasAnAddressAndAName() throws {
        for address in ["unix:/run/engine.sock", "tcp://127.0.0.1:10300", "tcp://[::1]:10300"] {
            #expect(try EngineServer(address: address, name: nil).entry.address == address)
        }
        for address in ["", "unix:", "unix:engine.sock", "tcp://host", "http://host:1", "unix:/a\"\nb"] {
            #expect(throws: EngineSetupError.self, "\(address)") {
                try EngineServer(address: address, name: nil)
            }
        }
        for name in ["", "Moonshine", "a b", "pocketsphinx", "whisper"] {
            #expect(throws: EngineSetupError.self, "\(name)") {
                try EngineServer(address: "unix:/run/e.sock", name: name)
            }
        }
    }

    /// The models and sizes in the help are those that the engine's setup knows.
    @Test func theHelpNamesTheModels() async throws {
        let program = repository.appending(path: "packaging/engine").path
        let result = try await ChildProcess.run(
            [
                "python3", "-B", "-c",
                "from dictation_engine.setup import describe_models; print(describe_models())",
            ],
            adding: ["PYTHONPATH": program])
        #expect(result.status == .exited(0), "\(result.errors)")
        #expect(
            Engines.Add.models == (result.output.trimmingCharacters(in: .newlines)))
    }

    /// Without a network nothing is installed, and nothing is left.
    @Test func aSetupThatFailsChangesNothing() async throws {
        let home = try TemporaryDirectory()
        try home.write("auto-commit: 1500\n", to: ".config/dictation/dictation.yaml")
        let result = try await ChildProcess.run(
            [try BuiltProgram.path(of: "dictation-cli"), "engines", "add", "whisper"],
            adding: [
                "HOME": home.path, "XDG_RUNTIME_DIR": home.path, "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "",
                "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": home.path,
            ], within: .seconds(120))
        #expect(result.status == .exited(1), "\(result.errors)")
        #expect(result.errors.contains("The engine is not set up."), "\(result.errors)")
        let files = try FileManager.default.subpathsOfDirectory(atPath: home.path).filter {
            !$0.hasPrefix(".cache")
        }
        #expect(
            files.sorted().filter { $0.hasSuffix(".yaml") || $0.contains("engines/") }
                == [".config/dictation/dictation.yaml"])
    }

    @Test func theListSaysWhatTheEngineCosts() throws {
        let folder = try TemporaryDirectory()
        try folder.write(
            #"{"python": "/p", "model": "/m", "name": "base", "threads": 2, "memory": 175123456, "is_enough": true}"#,
            to: "engine.json")
        #expect(try EngineFacts(folder: folder.path).summary == "base, 175 MB of memory while in use")
    }

    @Test func refusesPathsThatAUnitCannotContain() {
        #expect(throws: EngineSetupError.self) {
            try EnginePlaces(
                .whisper, environment: ["HOME": "/home/a b", "XDG_RUNTIME_DIR": "/run/user/1000"])
        }
        #expect(throws: EngineSetupError.self) { try EnginePlaces(.whisper, environment: ["HOME": "/h"]) }
    }
}
