import Clipboard
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import IBus
import TypingRig

/// A virtual screen, an IBus daemon and windows.
final class IBusDesk: Sendable {
    let bus: PrivateBus
    let files: TemporaryDirectory
    let ibus: ChildProcess
    let environment: [String: String]
    private let screen: ChildProcess

    /// - Parameter hasPanel: IBus has its panel, which changes keyboard layouts.
    init(hasPanel: Bool = false) async throws {
        bus = try await PrivateBus()
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

    // MARK: Typing

    private let typing = Lock<DirectTyping?>(nil)

    /// Begins to type texts that the test sets.
    func type(trustsEveryField: Bool = false) async throws -> DirectTyping {
        let environment = environment
        let route = await IBusRoute(environment: environment, trustsEveryField: trustsEveryField) {
            await SilentKey.press(environment: environment)
        }
        let begun = try await DirectTyping.begin([route])
        typing.withLock { $0 = begun }
        return begun
    }

    private func current() throws -> DirectTyping {
        guard let typing = typing.withLock({ $0 }) else { throw TestFailure("nobody types") }
        return typing
    }

    func partial(_ text: String, block: UInt64 = 1) async throws {
        try await current().partial(text, block: block)
    }

    func final(_ text: String, block: UInt64 = 1) async throws {
        try await current().final(text, block: block)
    }

    /// Ends it, and returns the texts that were not typed.
    func end(_ typing: DirectTyping) async throws -> [String] {
        if !ibus.isRunning { throw TestFailure("IBus ended: \(ibus.text(of: .errors))") }
        return await typing.end()
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
}
