import DictationRig
import DictationTestKit
import Foundation
import Testing

/// `packaging/try` also works if the package is installed.
@Suite struct TryTests {
    /// A system bus on which the service is installed for the whole machine. A call to it fails.
    private static func systemBus(_ services: TemporaryDirectory) async throws -> PrivateBus {
        try services.write(
            "[D-BUS Service]\nName=org.example.Dictation\nExec=/bin/false\n", to: "some.service")
        return try await PrivateBus(configuration: "<servicedir>\(services.path)</servicedir>")
    }

    private static var programs: String {
        URL(filePath: executable("dictationd")).deletingLastPathComponent().path
    }

    private func tryOut(
        _ arguments: [String], adding variables: [String: String] = [:]
    ) async throws -> (status: ChildProcess.ExitStatus, output: String, errors: String) {
        let services = try TemporaryDirectory()
        let system = try await Self.systemBus(services)
        let file = services.path(of: "speech.wav")
        try WaveFile.write(Speech.john(), to: file)
        return try await ChildProcess.run(
            [repository.appending(path: "packaging/try").path] + arguments + [file],
            adding: [
                "DICTATION_PROGRAMS": Self.programs, "DBUS_SYSTEM_BUS_ADDRESS": system.address,
            ].merging(variables) { $1 }, within: .seconds(180))
    }

    @Test func tryDictatesOnABusOfItsOwn() async throws {
        let result = try await tryOut(["--engine", "pocketsphinx"])
        #expect(result.status == .exited(0), "\(result.errors)")
        #expect(result.output.split(separator: " ").count >= 3, "\(result.output)\(result.errors)")
        #expect(result.errors.contains("what PocketSphinx writes"), "\(result.errors)")
    }

    /// The end of the recording is no interruption.
    @Test func tryShowsTheTextOfWhisperAndEndsWithTheRecording() async throws {
        let result = try await tryOut([])
        #expect(result.status == .exited(0), "\(result.errors)")
        // PocketSphinx writes neither capitals nor full stops.
        #expect(result.output.contains("Mr. John Dashwood"), "\(result.output)\(result.errors)")
        #expect(result.errors.contains("what Whisper writes"), "\(result.errors)")
        for text in ["Interrupted", "no microphone"] {
            #expect(!(result.output + result.errors).contains(text), "\(result.output)\(result.errors)")
        }
    }

    @Test func tryUsesTheEmbeddedEngineWithoutANetwork() async throws {
        let cache = try TemporaryDirectory()
        let result = try await tryOut([], adding: ["XDG_CACHE_HOME": cache.path, "PIP_NO_INDEX": "1"])
        #expect(result.status == .exited(0), "\(result.errors)")
        #expect(result.output.split(separator: " ").count >= 3, "\(result.output)\(result.errors)")
        #expect(result.errors.contains("what PocketSphinx writes"), "\(result.errors)")
    }

    /// A script has no permission of its own.
    @Test func tryEndsIfTheListenerCannotBeAllowed() async throws {
        let services = try TemporaryDirectory()
        let system = try await Self.systemBus(services)
        let programs = try TemporaryDirectory()
        for name in ["dictationd", "dictation-worker", "dictation-cli"] {
            let script = try programs.write("#!/bin/sh\nexec '\(Self.programs)/\(name)' \"$@\"\n", to: name)
            try #require(chmod(script, 0o755) == 0)
        }
        let file = services.path(of: "speech.wav")
        try WaveFile.write(Array(Speech.john().prefix(60_000)), to: file)
        let result = try await ChildProcess.run(
            [repository.appending(path: "packaging/try").path, "--engine", "pocketsphinx", file],
            adding: ["DICTATION_PROGRAMS": programs.path, "DBUS_SYSTEM_BUS_ADDRESS": system.address],
            within: .seconds(60))
        #expect(result.status == .exited(64))
        #expect(result.errors.contains("dictation-cli is a script"), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    /// The commands of the manual from the private bus to the end of the session. The text is not checked, because
    /// there is no speech.
    @Test func theCommandsOfTheManualDriveAServiceOfTheirOwn() async throws {
        let services = try TemporaryDirectory()
        let system = try await Self.systemBus(services)
        let audio = try await PrivatePipeWire()
        let file = repository.appending(path: "packaging/man/org.example.Dictation.7")
        let manual = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(manual.range(of: ".SS \"With busctl\"")).lowerBound
        let end = try #require(manual.range(of: ".SS \"With gdbus\"")).lowerBound
        let commands = manual[start..<end].split(separator: "\n").filter { $0.hasPrefix("$ ") }
            .map { $0.dropFirst(2).replacing("\\-", with: "-") }
        try #require(commands.first == "dbus-run-session -- bash")
        let script =
            ["set -eux", "trap 'kill $(jobs -p); rm -r \"$HOME\"' EXIT"]
            + commands.dropFirst().map { command in
                // A person types more slowly than the service starts.
                command.hasPrefix("/usr/libexec/dictationd")
                    ? command.replacing(
                        /#.*/,
                        with:
                            "\nuntil busctl --user status org.example.Dictation >/dev/null 2>&1; do sleep 0.05; done"
                    ) : command
            }
        let text = script.joined(separator: "\n")
            .replacing("/usr/libexec/dictationd", with: "\(Self.programs)/dictationd")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let result = try await ChildProcess.run(
            ["dbus-run-session", "--", "bash", "-c", text],
            environment: audio.environment.merging([
                "PATH": "\(Self.programs):\(path)", "DBUS_SYSTEM_BUS_ADDRESS": system.address,
            ]) { $1 }, within: .seconds(60))
        #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
        #expect(result.output.contains("t 1\n"), "\(result.output)")
        #expect(result.output.contains("tsa{sv} 1 \"\""), "\(result.output)")
        try await audio.kill()
    }
}
