import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// The example lines in the interface file, run unchanged.
@Suite struct InterfaceExampleTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../dbus/org.example.Dictation.xml")

    /// The indented lines behind `sentence`.
    private func example(after sentence: String) throws -> [String] {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let rest = try #require(text.range(of: sentence), "\(sentence)").upperBound
        let lines = text[rest...].split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2)
        let example = lines.prefix { $0.hasPrefix("    ") }.map { $0.trimmingCharacters(in: .whitespaces) }
        try #require(example.count == 3, "\(sentence)")
        return example
    }

    /// A machine on which a call starts the service, on one of its two buses.
    private struct Machine {
        let withService: ActivatingBus
        let without: PrivateBus

        init() async throws {
            withService = try await ActivatingBus()
            without = try await PrivateBus()
        }

        func run(_ command: [String], isOnSystemBus: Bool) async throws -> String {
            let result = try await ChildProcess.run(
                command,
                adding: [
                    "DBUS_SYSTEM_BUS_ADDRESS": (isOnSystemBus ? withService.bus : without).address,
                    "DBUS_SESSION_BUS_ADDRESS": (isOnSystemBus ? without : withService.bus).address,
                ])
            guard result.status == .exited(0) else { throw TestFailure(result.errors) }
            return result.output
        }

        func end() async throws {
            try await withService.end()
            try await without.kill()
        }
    }

    @Test(arguments: [true, false])
    func pythonFindsTheService(isOnSystemBus: Bool) async throws {
        let machine = try await Machine()
        let program =
            ["import dbus"] + (try example(after: "In Python, with dbus-python:"))
            + ["print(dictation.CheckPermission(dbus_interface='org.example.Dictation')[1])"]
        let output = try await machine.run(
            ["/usr/bin/python3", "-c", program.joined(separator: "\n")], isOnSystemBus: isOnSystemBus)
        #expect(output == "1\n")
        try await machine.end()
    }

    private static let imports = "const {Gio, GLib} = imports.gi;"

    @Test(arguments: [true, false])
    func gjsFindsTheService(isOnSystemBus: Bool) async throws {
        let machine = try await Machine()
        let program =
            [Self.imports] + (try example(after: "In JavaScript, with GJS:"))
            + ["print(dictation.call_sync('CheckPermission', null, 0, -1, null).deepUnpack()[1])"]
        let output = try await machine.run(
            ["gjs", "-c", program.joined(separator: "\n")], isOnSystemBus: isOnSystemBus)
        #expect(output == "true\n")
        try await machine.end()
    }

    @Test func separateConnectionsHaveSeparateSessions() async throws {
        let machine = try await Machine()
        let finding = try example(after: "In JavaScript, with GJS:")
        let ownConnection = try example(after: "instead of the last line above:")
        let start =
            "dictation.call_sync('Start', new GLib.Variant('(a{sv})', [{}]), 0, -1, null).deepUnpack()"
        let block = ["{"] + ownConnection + ["print(\(start)); kept.push(connection);", "}"]
        let program =
            [Self.imports, "const kept = [];"] + finding.prefix(2) + block + block
            + ["kept.forEach(connection => connection.close_sync(null));"]
        let output = try await machine.run(
            ["gjs", "-c", program.joined(separator: "\n")], isOnSystemBus: true)
        #expect(output == "1\n2\n")
        try await machine.end()
    }

    @Test func alreadyRunningNamesTheConnection() async throws {
        let machine = try await Machine()
        let start = "dictation.call_sync('Start', new GLib.Variant('(a{sv})', [{}]), 0, -1, null)"
        let program =
            [Self.imports] + (try example(after: "In JavaScript, with GJS:"))
            + [
                "\(start);", "try { \(start); } catch (error) {",
                "print(error.message.includes('AlreadyRunning'));",
                "print(error.message.includes('(' + Gio.DBus.system.get_unique_name() + ')'));", "}",
            ]
        let output = try await machine.run(
            ["gjs", "-c", program.joined(separator: "\n")], isOnSystemBus: true)
        #expect(output == "true\ntrue\n")
        try await machine.end()
    }

    @Test func offsetsAreConvertedToUTF16AsTheManualSays() async throws {
        let expression = "[...text].slice(0, offset).join('') + stable"
        #expect(try String(contentsOf: Self.file, encoding: .utf8).contains(expression))
        // A scalar above U+FFFF, and a combining one.
        let program = "const text = 'a🎙e\u{301}b', offset = 4, stable = '!'; print(\(expression));"
        let result = try await ChildProcess.run(["gjs", "-c", program])
        #expect(result.output == "a🎙e\u{301}!\n", "\(result.errors)")
    }
}
