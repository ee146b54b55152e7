import DBus
import DictationRig
import DictationTestKit
import Foundation
import Testing

extension DesktopShellTests {
    @Test func disablingInMidSentenceLeavesNothing() async throws {
        try await withDesk { desk in
            try await desk.run(Self.noteHandlers)
            let name = try await desk.evaluate(
                "global.extension()._dictation._service._connection.get_unique_name()")
            let own = try #require(BusName(name.trimmingCharacters(in: ["\""])))
            try await desk.disable()
            // The bus notices the end of a connection a moment later.
            try await eventually("its connection has ended") {
                try await desk.connection.owner(of: own) == nil
            }
            let before = try await desk.connectionsOfTheShell()
            try await desk.enable()
            let window = try await desk.open("gtk4-entry")
            try await desk.startDictating()
            try await desk.say(500)
            try await window.preedit("T500")
            #expect(try await desk.evaluate("global.handlers.size > 5") == "true")

            try await desk.disable()
            try await window.preedit("")
            try await eventually("the microphone is closed") { try await !desk.isCapturing() }
            try await eventually("its connections have ended", equals: before) {
                try await desk.connectionsOfTheShell()
            }
            #expect(try await desk.evaluate("[...global.handlers.values()]") == "[]")
            #expect(try await desk.evaluate("'\(ShellDesk.uuid)' in Main.panel.statusArea") == "false")
            #expect(
                try await desk.evaluate(
                    "['toggle-key', 'discard-key'].filter(key => Main.wm._allowedKeybindings[key])") == "[]")
            #expect(
                try await desk.evaluate(
                    "!!Object.getOwnPropertyDescriptor(Main.inputMethod, '_currentFocus').get") == "false")
            #expect(window.text() == "")

            try await desk.enable()
            try await desk.startDictating()
            try await desk.say(600)
            try await desk.stopDictating()
            try await window.text("T600")
            try await window.close()
        }
    }

    @Test func theCommandLineTurnsTheExtensionOn() async throws {
        try await withDesk { desk in
            func state() async throws -> String {
                let report = try await desk.output(
                    of: desk.start([executable("dictation-cli"), "shortcut", "--json"]))
                return try #require(report.firstMatch(of: /"extension":\s*"([a-z-]*)"/)).output.1.description
            }
            #expect(try await state() == "on")
            try await desk.disable()
            #expect(try await state() == "off")
            let doctor = try desk.start([executable("dictation-cli"), "doctor"])
            doctor.closeInput()
            _ = try await doctor.exitStatus()
            #expect(doctor.text(of: .output).contains("dictation-cli shortcut --bind"))
            let said = try await desk.output(
                of: desk.start([executable("dictation-cli"), "shortcut", "--bind"]))
            #expect(said.contains("GNOME's Dictation extension is on"))
            #expect(try await state() == "on")
        }
    }

    /// Counts the signal handlers of the extension.
    private static let noteHandlers = """
        global.handlers = new Map();
        for (const object of [Main.inputMethod, global.display, global.extension()._dictation._fields._contexts._manager]) {
            const {connect, disconnect} = object;
            object.connect = function (signal, handler) {
                const id = connect.call(this, signal, handler);
                if (new Error().stack.includes('\(ShellDesk.uuid)'))
                    global.handlers.set(`${object} ${id}`, signal);
                return id;
            };
            object.disconnect = function (id) {
                global.handlers.delete(`${object} ${id}`);
                disconnect.call(this, id);
            };
        }
        """
}

/// The shell is killed; the service continues.
@Suite struct KilledShellTests {
    @Test func aKilledShellLeavesNothing() async throws {
        let desk = try await ShellDesk()
        let window = try await desk.open("gtk4-entry")
        try await desk.startDictating()
        try await eventually("it captures") { try await desk.isCapturing() }
        let asking = try await desk.ask()
        // IBus may outlive the shell.
        #expect(try desk.programsOfTheShell().contains { $0.name == "ibus-daemon" })
        desk.shell.kill()
        // There is no other prompter, and the user has not answered.
        let answer = try await desk.output(of: asking)
        #expect(answer.contains("'microphone': 'not-determined'"), "\(answer)")
        try await eventually("the microphone is closed") { try await !desk.isCapturing() }
        _ = try await window.process.exitStatus()
        try await desk.end()
        #expect(try desk.programsOfTheShell() == [])
    }
}

extension ShellDesk {
    func disable() async throws {
        try await run("Main.extensionManager.disableExtension('\(Self.uuid)')")
        try await eventually("the extension is disabled") {
            try await evaluate("Main.extensionManager.lookup('\(Self.uuid)').state !== 1") == "true"
        }
    }

    func enable() async throws {
        let registered = agentsRegistered
        try await run("Main.extensionManager.enableExtension('\(Self.uuid)')")
        try await eventually("the extension is enabled") { agentsRegistered > registered }
        try await settle()
    }

    private var agentsRegistered: Int {
        daemon.text(of: .errors).split(separator: "\n").count { $0.contains("an agent registered") }
    }
}
