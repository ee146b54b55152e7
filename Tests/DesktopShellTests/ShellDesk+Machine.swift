import DBus
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Synchronization

/// Windows, programs, engines and the sound of the private desktop.
extension ShellDesk {
    /// Opens a window and waits until it has the focus.
    func open(_ kind: String, _ title: String = "Window", _ arguments: String...) async throws -> TestWindow {
        // The shell may still have the window of the test before.
        try await eventually("no window is called \(title)", equals: "true") {
            try await evaluate("!\(find(title))")
        }
        let process = try start(["/usr/bin/python3", files.path(of: "window.py"), kind, title] + arguments)
        let window = TestWindow(process: process, title: title)
        try await focus(window)
        return window
    }

    /// Opens an X11 window of the tests of IBus, and waits until its first field has the focus.
    /// - Parameter module: the input method of the program.
    func openX11(_ kind: String, _ title: String = "Window", module: String = "ibus") async throws
        -> TestWindow
    {
        var environment = environment.merging([
            "GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb", "GTK_IM_MODULE": module, "QT_IM_MODULE": module,
        ]) { $1 }
        for name in ["DISPLAY", "XAUTHORITY"] {
            environment[name] = try await evaluate("imports.gi.GLib.getenv('\(name)')")
                .replacing("\"", with: "")
        }
        let process = try ChildProcess(
            audio.command(["/usr/bin/python3", files.path(of: "x11-window.py"), kind, title]),
            environment: environment)
        let window = TestWindow(process: process, title: title)
        try await activate(title)
        try await window.wait("the focus") { $0.contains { $0.focus == 0 } }
        return window
    }

    func activate(_ title: String) async throws {
        try await eventually("\(title) is there", equals: "true") { try await evaluate("!!\(find(title))") }
        try await run("\(find(title)).activate(global.get_current_time())")
        try await eventually("\(title) has the focus", equals: "\"\(title)\"") {
            try await evaluate("global.display.focus_window?.title")
        }
    }

    func find(_ title: String) -> String {
        "global.get_window_actors().map(each => each.meta_window).find(each => each.title === '\(title)')"
    }

    func focus(_ window: TestWindow) async throws {
        try await activate(window.title)
        // The client enables its text field a little later.
        try await eventually("\(window.title) takes text") {
            try await evaluate("Main.inputMethod.currentFocus !== null") == "true"
        }
    }

    func start(_ command: [String]) throws -> ChildProcess {
        try ChildProcess(audio.command(command), environment: environment)
    }

    /// Records the signals of this name on the bus, a JSON object a line.
    /// - Parameter urgently: with real-time priority where that is allowed, so that its times are exact.
    func monitor(_ signal: String, urgently: Bool = false) async throws -> ChildProcess {
        var command = audio.command(
            ["busctl", "--address=\(address)", "monitor", "--json=short"]
                + [signal, "MonitorStarted"].flatMap { ["--match", "type='signal',member='\($0)'"] })
        let priority = ["chrt", "--fifo", "1"]
        if urgently, try await ChildProcess.run(priority + ["true"]).status == .exited(0) {
            command = priority + command
        }
        let monitor = try ChildProcess(command, environment: environment)
        // With this format later versions of busctl do not say when they are ready.
        try await eventually("the monitor runs") {
            try await connection.emit(
                path: "/", interface: "org.example.DictationTest", member: "MonitorStarted")
            return monitor.text(of: .output).contains("MonitorStarted")
        }
        return monitor
    }

    /// Calls the service as another program of the user.
    func gdbus(_ method: String, _ arguments: [String] = []) throws -> ChildProcess {
        try start(
            [
                "gdbus", "call", "--session", "--timeout", "80", "--dest", "org.example.Dictation",
                "--object-path", "/org/example/Dictation", "--method", "org.example.Dictation.\(method)",
            ] + arguments)
    }

    func output(of process: ChildProcess) async throws -> String {
        process.closeInput()
        let status = try await process.exitStatus()
        guard status == .exited(0) else {
            throw TestFailure("\(process.name): \(process.text(of: .errors))")
        }
        return process.text(of: .output)
    }

    /// Starts the engine "answering", and waits until the service has found it.
    func startEngine(answering text: String) async throws -> ScriptedEngineServer {
        let server = try await ScriptedEngineServer(
            at: "unix:\(files.path(of: "engine.sock"))", text: text, uid: user?.uid)
        try await waitForTheEngine()
        return server
    }

    /// Starts Whisper as the engine "answering", and waits until the service has found it. It runs as the tests do.
    func startWhisper() async throws -> EngineProcess {
        let engine = try await EngineProcess(model: "base", in: files)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: engine.socket)
        try await waitForTheEngine()
        return engine
    }

    func waitForTheEngine() async throws {
        try await eventually("the engine is there") {
            let engines = try await output(
                of: start([
                    "gdbus", "call", "--session", "--dest", "org.example.Dictation", "--object-path",
                    "/org/example/Dictation", "--method", "org.freedesktop.DBus.Properties.Get",
                    "org.example.Dictation", "Engines",
                ]))
            return engines.contains(/'answering', \{[^}]*'available': <true>/)
        }
    }

    /// The number of the shell's connections to the session bus.
    func connectionsOfTheShell() async throws -> Int {
        let names = try await connection.call(
            destination: .bus, path: .bus, interface: .bus, member: "ListNames"
        ).decoded(as: [String].self)
        var count = 0
        for name in names where name.hasPrefix(":") {
            // It may have disconnected meanwhile.
            let reply = try? await connection.call(
                destination: .bus, path: .bus, interface: .bus, member: "GetConnectionUnixProcessID",
                [.string(name)])
            if try reply?.decoded(as: UInt32.self) == UInt32(shell.pid) { count += 1 }
        }
        return count
    }

    func isCapturing() async throws -> Bool {
        try await !audio.graph().nodes(named: "dictation.capture").isEmpty
    }
}
