import DBus
import DictationInterface
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import ScriptedService

/// A virtual screen, an IBus daemon, windows, and a service whose texts the test sets.
final class IBusDesk: Sendable {
    let bus: PrivateBus
    let service: ScriptedService
    let files: TemporaryDirectory
    let ibus: ChildProcess
    let environment: [String: String]
    private let screen: ChildProcess

    /// - Parameter hasPanel: IBus has its panel, which changes keyboard layouts.
    init(hasPanel: Bool = false) async throws {
        bus = try await PrivateBus()
        service = try await ScriptedService(at: bus.address)
        await service.offer([])
        files = try TemporaryDirectory()
        screen = try ChildProcess(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"])
        let display = try await screen.line(of: .output)
        try files.write(Self.noticingSetxkbmap, to: "bin/setxkbmap")
        chmod(files.path(of: "bin/setxkbmap"), 0o755)
        environment = bus.environment.merging([
            "PATH": "\(files.path(of: "bin")):/usr/bin:/bin", "HOME": files.path,
            "XDG_RUNTIME_DIR": files.path,
            "DISPLAY": ":\(display)",
            "XDG_CONFIG_HOME": files.path(of: "config"), "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1",
            "GTK_A11Y": "none", "LC_ALL": "C.UTF-8", "GTK_IM_MODULE": "ibus", "QT_IM_MODULE": "ibus",
            "GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb",
        ]) { $1 }
        // IBus ends with the thread that started it, so a shell's main thread starts it.
        let panel = hasPanel ? "" : " --panel disable"
        ibus = try ChildProcess(
            ["sh", "-c", "ibus-daemon --config disable --emoji-extension disable\(panel); exit"],
            environment: environment)
        try await eventually("IBus has written its address") {
            (try? FileManager.default.contentsOfDirectory(atPath: files.path(of: "config/ibus/bus")))?.isEmpty
                == false
        }
    }

    /// Notes in a file that the panel has set a layout: it is the only one here to use this option.
    private static let noticingSetxkbmap = """
        #!/bin/sh
        /usr/bin/setxkbmap "$@"
        status=$?
        [ "$1" != -layout ] || touch "$HOME/layout-is-set"
        exit $status

        """

    /// Waits until the panel has chosen an engine and then set that engine's layout, which would replace a test's.
    func waitForThePanel() async throws {
        try await eventually("the panel has chosen an engine") {
            try await output(of: "ibus", "engine") == "xkb:us::eng"
        }
        try await eventually("the panel has set the layout") {
            FileManager.default.fileExists(atPath: files.path(of: "layout-is-set"))
        }
    }

    // MARK: The service

    func partial(_ text: String, block: UInt64 = 1) async throws {
        guard let session = await service.session else { throw TestFailure("nobody dictates") }
        try await service.emit(
            .partial(session: session.id, block: block, offset: 0, stable: "", volatile: text, details: [:]))
    }

    func final(_ text: String, block: UInt64 = 1) async throws {
        guard let session = await service.session else { throw TestFailure("nobody dictates") }
        try await service.emit(
            .final(session: session.id, block: block, text: text, details: [FinalKey.auto: Value(true)]))
    }

    // MARK: Programs

    func start(_ command: [String]) throws -> ChildProcess {
        try ChildProcess(command, environment: environment)
    }

    /// The output of a program.
    func output(of command: String...) async throws -> String {
        let run = try await ChildProcess.run(command, environment: environment)
        return (run.output + run.errors).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs `dictation-cli type`, and waits until it dictates.
    func type(_ options: String...) async throws -> ChildProcess {
        let program = try start([try Self.program(), "type"] + options)
        do {
            try await eventually("it dictates") {
                guard program.isRunning else { throw TestFailure("it ended") }
                return await service.session != nil
            }
        } catch {
            throw TestFailure("\(error): \(program.text(of: .errors))\nIBus: \(ibus.text(of: .errors))")
        }
        return program
    }

    static func program() throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "dictation-cli").path
    }

    /// Opens a window and waits until its first field has the focus.
    func open(_ kind: String, _ title: String = "Window") async throws -> TestWindow {
        let program = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Resources/window.py")
        let process = try start(["/usr/bin/python3", program.path, kind, title])
        let window = TestWindow(process: process, title: title)
        try await focus(title)
        try await window.wait("the focus") { $0.contains { $0.focus == 0 } }
        return window
    }

    func focus(_ title: String) async throws {
        let found = try await output(
            of: "xdotool", "search", "--sync", "--onlyvisible", "--name", "^\(title)$", "windowfocus",
            "--sync")
        guard found.isEmpty || Int(found) != nil else { throw TestFailure("xdotool: \(found)") }
    }

    /// Returns when IBus has passed on everything that programs had sent to it before.
    func settle() async throws {
        _ = try await output(of: "ibus", "engine")
    }

    func endIBus() async throws {
        _ = try await output(of: "ibus", "exit")
        _ = try await ibus.exitStatus()
    }

    /// Ends a program and returns its exit status.
    func end(_ program: ChildProcess, _ signal: Int32 = SIGINT) async throws -> ChildProcess.ExitStatus {
        if !ibus.isRunning { throw TestFailure("IBus ended: \(ibus.text(of: .errors))") }
        program.send(signal)
        return try await program.exitStatus()
    }
}
