import DBus
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Synchronization

/// A private desktop: a headless GNOME Shell with the extension, buses, a PipeWire with a microphone, and the real
/// daemon. The shell does not run as root, so everything runs as another user if the test runs as root.
final class ShellDesk: Sendable {
    static let uuid = "dictation@dictation.example.org"

    let user: TestUser?
    let audio: PrivatePipeWire
    let microphone: DriverMicrophone
    private let daemons: Mutex<ChildProcess>
    let shell: ChildProcess
    let address: String
    let connection: Connection
    private let buses: [ChildProcess]
    /// Ends with the session bus.
    private let accessibility: ChildProcess?
    private let environment: [String: String]
    /// A folder that the user can read: the window's program, screenshots.
    let files: TemporaryDirectory

    /// - Parameters:
    ///   - settings: of the extension, in the format of a keyfile.
    ///   - engine: in the format of the configuration; "answering" is one whose answers a test sets, see
    ///     ``startEngine(answering:)``.
    ///   - fallback: what the service does while "answering" does not answer.
    ///   - hasX11: the shell has a screen for X11 windows.
    ///   - hasAccessibility: the shell and its programs can be read by screen readers.
    ///   - language: of the texts; empty for English.
    init(
        settings: String = "", engine: String = "scripted", fallback: String = "preview",
        hasX11: Bool = false,
        hasAccessibility: Bool = false, language: String = ""
    ) async throws {
        user = geteuid() == 0 ? .nobody : nil
        audio = try await PrivatePipeWire(as: user)
        microphone = try DriverMicrophone("microphone", of: audio, pace: .brisk)
        files = try TemporaryDirectory()
        let home = try await Self.makeHome(in: files, settings, engine, fallback)
        var buses: [ChildProcess] = []
        var addresses: [String] = []
        for name in ["session", "system"] {
            let bus = try Self.bus(name, in: files)
            addresses.append(bus.address)
            try user?.own(files)
            buses.append(try ChildProcess(audio.command(bus.command)))
            _ = try await buses[buses.count - 1].line(of: .output)
        }
        self.buses = buses
        address = addresses[0]
        environment = audio.environment.merging([
            "HOME": home, "DBUS_SESSION_BUS_ADDRESS": addresses[0], "DBUS_SYSTEM_BUS_ADDRESS": addresses[1],
            "GSETTINGS_BACKEND": "keyfile", "LIBGL_ALWAYS_SOFTWARE": "1", "GSK_RENDERER": "cairo",
            "DICTATION_CLI": executable("dictation-cli"),
            "XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "GNOME", "WAYLAND_DISPLAY": "wayland-0",
        ]) { $1 }.merging(hasAccessibility ? [:] : ["NO_AT_BRIDGE": "1", "GTK_A11Y": "none"]) { $1 }
            .merging(language.isEmpty ? [:] : ["LC_ALL": "C.UTF-8", "LANGUAGE": language]) { $1 }
        let daemon = try Self.startDaemon(audio, environment, files, address)
        daemons = Mutex(daemon)
        _ = try await daemon.line(of: .errors) { $0.contains("listening on the bus") }
        connection = try await Connection(to: .custom(address))
        accessibility =
            if hasAccessibility {
                try await Self.startAccessibility(audio, environment, connection)
            } else { nil }
        // In its own session of processes, which identifies the programs that it starts; ibus-daemon leaves the process
        // group.
        let command = audio.command(
            [
                "setsid", "gnome-shell", "--headless", "--virtual-monitor", "1280x720", "--wayland",
                "--unsafe-mode",
            ] + (hasX11 ? [] : ["--no-x11"]))
        shell = try await Self.startShell(
            command, environment.filter { $0.key != "WAYLAND_DISPLAY" }, connection)
        do {
            try await waitUntilReady()
        } catch {
            let threads = threadsOfTheShell()
            try? await endShell()
            throw TestFailure(
                "\(error)\n\(threads)\nThe shell's log:\n\(shell.text(of: .errors).suffix(4000))")
        }
    }

    /// The service. ``restartDaemon(after:)`` starts another.
    var daemon: ChildProcess { daemons.withLock { $0 } }

    private static func startDaemon(
        _ audio: PrivatePipeWire, _ environment: [String: String], _ files: TemporaryDirectory,
        _ address: String
    ) throws -> ChildProcess {
        try ChildProcess(
            audio.command([
                executable("dictationd"), "--bus", address, "--verbose", "--config",
                files.path(of: "dictation.yaml"),
            ]), environment: environment)
    }

    private static func startAccessibility(
        _ audio: PrivatePipeWire, _ environment: [String: String], _ connection: Connection
    ) async throws -> ChildProcess {
        let launcher = try ChildProcess(
            audio.command(["/usr/libexec/at-spi-bus-launcher", "--launch-immediately"]),
            environment: environment)
        try await eventually("there is a bus for screen readers; \(launcher.text(of: .errors))") {
            let reply = try? await connection.call(
                destination: "org.a11y.Bus", path: "/org/a11y/bus", interface: "org.a11y.Bus",
                member: "GetAddress")
            return try reply?.decoded(as: String.self).isEmpty == false
        }
        return launcher
    }

    /// Ends the service by a signal and starts it again.
    func restartDaemon(after signal: Int32) async throws {
        daemon.send(signal)
        _ = try await daemon.exitStatus()
        let next = try Self.startDaemon(audio, environment, files, address)
        daemons.withLock { $0 = next }
        _ = try await next.line(of: .errors) { $0.contains("listening on the bus") }
    }

    /// Starts the shell, again if it hangs: GNOME Shell 43 can block while it starts ibus-daemon. Then its child never runs
    /// its program, and has the shell's name for ever.
    private static func startShell(
        _ command: [String], _ environment: [String: String], _ connection: Connection
    ) async throws -> ChildProcess {
        var attempts = 0
        while true {
            attempts += 1
            let shell = try ChildProcess(command, environment: environment)
            var hungChecks = 0
            var isHung = false
            try await eventually("the shell answers or hangs") {
                let answers =
                    (try? await evaluate("!Main.layoutManager._startingUp", in: connection)) == "true"
                if answers { return true }
                let names = try programs(of: shell.pid).filter { $0.pid != shell.pid }.map(\.name)
                hungChecks = names.contains("gnome-shell") ? hungChecks + 1 : 0
                isHung = hungChecks > 100
                return isHung || !shell.isRunning
            }
            if !isHung || attempts == 3 { return shell }
            try await end(shell)
        }
    }

    /// What each thread of the shell waits for in the kernel, for the report of a failure.
    private func threadsOfTheShell() -> String {
        let folder = "/proc/\(shell.pid)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.sorted().map { thread in
            ["comm", "wchan", "syscall"].map { file in
                let text = try? String(contentsOfFile: "\(folder)/\(thread)/\(file)", encoding: .utf8)
                return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "-"
            }.joined(separator: " ")
        }.joined(separator: "\n")
    }

    private func waitUntilReady() async throws {
        try await eventually("the shell answers") {
            (try? await evaluate("!Main.layoutManager._startingUp")) == "true"
        }
        try await run("Main.overview.hide()")
        try await eventually("the overview is gone") {
            try await evaluate("Main.overview.visible") == "false"
        }
        try await eventually("the extension is enabled") {
            try await evaluate("Main.extensionManager.lookup('\(Self.uuid)')?.state") == "1"
        }
        _ = try await daemon.line(of: .errors) { $0.contains("an agent registered") }
        try await run(Self.helpers)
    }

    /// Shell code for the tests.
    private static let helpers = """
        global.extension = () => Main.extensionManager.lookup('\(uuid)').stateObj;
        global.keyboard = (global.stage.context?.get_backend?.() ?? imports.gi.Clutter.get_default_backend()).get_default_seat()
            .create_virtual_device(imports.gi.Clutter.InputDeviceType.KEYBOARD_DEVICE);
        global.press = (name, isDown) => global.keyboard.notify_keyval(imports.gi.GLib.get_monotonic_time(),
            imports.gi.Clutter['KEY_' + name],
            isDown ? imports.gi.Clutter.KeyState.PRESSED : imports.gi.Clutter.KeyState.RELEASED);
        """

    private static func makeHome(
        in files: TemporaryDirectory, _ settings: String, _ engine: String, _ fallback: String
    ) async throws -> String {
        try files.write(
            """
            [org/gnome/shell]
            enabled-extensions=['\(uuid)']
            welcome-dialog-last-shown-version='99'
            [org/gnome/desktop/interface]
            enable-animations=false
            cursor-blink=false
            [org/gnome/shell/extensions/dictation]
            \(settings)
            """, to: "home/.config/glib-2.0/settings/keyfile")
        try files.write(
            """
            [Desktop Entry]
            Type=Application
            Name=Bus Editor
            Exec=gdbus help
            """, to: "home/.local/share/applications/org.example.BusEditor.desktop")
        // Settings that exist are shown without the steps of the first run.
        try files.write("language: en-US\n", to: "home/.config/dictation/dictation.yaml")
        // The shell has permission; for others the user is asked.
        try files.write(
            """
            engine: \(engine)
            engines: [{name: answering, wyoming: "unix:\(files.path(of: "engine.sock"))", fallback: \(fallback)}]
            permissions: {allow: ["executable:/usr/bin/gnome-shell"]}
            """, to: "dictation.yaml")
        let resources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Resources")
        for program in ["window.py", "screen-reader.py"] {
            try FileManager.default.copyItem(
                atPath: resources.appending(path: program).path, toPath: files.path(of: program))
        }
        try FileManager.default.copyItem(
            atPath: repository.appending(path: "Tests/IBusTests/Resources/window.py").path,
            toPath: files.path(of: "x11-window.py"))
        // As a user installs it, from the package for this shell.
        _ = try await Self.output(of: [
            repository.appending(path: "packaging/gnome-shell/build").path, "--pack",
            files.path(of: "extension"),
        ])
        let version = try await Self.output(of: ["gnome-shell", "--version"])
        let major = version.firstMatch(of: /(\d+)/).flatMap { Int($0.output.1) } ?? 0
        let home = files.path(of: "home")
        _ = try await Self.output(of: [
            "env", "-u", "XDG_DATA_HOME", "HOME=\(home)", "gnome-extensions", "install",
            files.path(of: "extension/\(uuid).\(major < 45 ? "legacy" : "modern").zip"),
        ])
        return home
    }

    private static func output(of command: [String]) async throws -> String {
        let run = try await ChildProcess.run(command)
        guard run.status == .exited(0) else { throw TestFailure("\(command): \(run.errors)") }
        return run.output
    }

    private static func bus(_ name: String, in files: TemporaryDirectory) throws -> (
        address: String, command: [String]
    ) {
        let address = "unix:path=\(files.path(of: name))"
        let file = try files.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
              </policy>
            </busconfig>
            """, to: "\(name).conf")
        return (
            address, ["dbus-daemon", "--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=1"]
        )
    }

    /// Ends everything, in this order.
    func end() async throws {
        await connection.close()
        try await endShell()
        daemon.terminate()
        let status = try await daemon.exitStatus()
        for bus in buses { bus.kill() }
        try await audio.kill()
        guard status == .exited(0) else {
            throw TestFailure("The daemon's exit status is \(status):\n\(daemon.text(of: .errors))")
        }
    }

    /// The programs that a killed shell has started continue. Normally ibus-daemon ends with the session bus, but not if it has not
    /// connected to it yet.
    private func endShell() async throws { try await Self.end(shell) }

    private static func end(_ shell: ChildProcess) async throws {
        shell.kill()
        _ = try await shell.exitStatus()
        try await eventually("the shell's programs have ended") {
            let programs = try programs(of: shell.pid)
            for program in programs { kill(program.pid, SIGKILL) }
            return programs.isEmpty
        }
    }

    struct Program: Equatable {
        var pid: Int32
        var name: String
    }

    /// The running programs of the shell's session of processes, itself included.
    func programsOfTheShell() throws -> [Program] { try Self.programs(of: shell.pid) }

    private static func programs(of shell: Int32) throws -> [Program] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { entry in
            // It may have ended meanwhile.
            guard let pid = Int32(entry),
                let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
                let begin = stat.firstIndex(of: "("), let end = stat.lastIndex(of: ")")
            else { return nil }
            let fields = stat[end...].split(separator: " ")
            guard fields.count > 4, fields[1] != "Z", fields[4] == "\(shell)" else { return nil }
            return Program(pid: pid, name: String(stat[begin..<end].dropFirst()))
        }
    }

    // MARK: The shell

    /// The value of an expression in the shell, as JSON.
    func evaluate(_ code: String) async throws -> String { try await Self.evaluate(code, in: connection) }

    private static func evaluate(_ code: String, in connection: Connection) async throws -> String {
        let reply = try await connection.call(
            destination: "org.gnome.Shell", path: "/org/gnome/Shell", interface: "org.gnome.Shell",
            member: "Eval", [.string(code)])
        let (isGood, result) = try reply.decoded(as: Bool.self, String.self)
        guard isGood else { throw TestFailure("\(code): \(result)") }
        return result
    }

    func run(_ code: String) async throws {
        _ = try await evaluate("\(code); null")
    }

    /// Presses keys together and releases them.
    func press(_ keys: String...) async throws {
        let downs = keys.map { "global.press('\($0)', true)" }
        let ups = keys.reversed().map { "global.press('\($0)', false)" }
        try await run((downs + ups).joined(separator: ";"))
    }

    /// What has the focus, for the report of a failure.
    func focusState() async -> String {
        let parts =
            "Main.overview.visible, Main.modalCount, global.stage.key_focus, global.display.focus_window?.title"
        do {
            return try await evaluate("[\(parts)].map(String).join(' | ')")
        } catch {
            return "\(error)"
        }
    }

    /// What keeps windows from getting keys: the overview or a modal dialog. Nil if nothing does.
    func obstacle() async throws -> String? {
        let isFree = try await evaluate("!Main.overview.visible && Main.modalCount === 0") == "true"
        return isFree ? nil : await focusState()
    }

    /// Closes the windows, dialogs and the overview that a failed test has left.
    func clear() async throws {
        try await run(
            "Main.overview.hide(); global.get_window_actors().forEach(each => each.meta_window.kill())")
        try await eventually("windows can get keys") {
            if try await obstacle() == nil { return true }
            try await press("Escape")
            return false
        }
    }

    /// Waits until the shell has done deferred work, such as grabbing keys.
    func settle() async throws {
        try await run(
            "global.isIdle = false; imports.gi.GLib.idle_add(400, () => { global.isIdle = true; return false; })"
        )
        try await eventually("the shell is idle") { try await evaluate("global.isIdle") == "true" }
    }

    /// A property of the extension's dictation, as JSON.
    func dictation(_ property: String) async throws -> String {
        try await evaluate("JSON.parse(JSON.stringify(global.extension()._dictation.\(property) ?? null))")
    }

    func set(_ key: String, _ value: String) async throws {
        try await run("global.extension()._settings.\(key)(\(value))")
    }

    /// Dictates until the key is pressed again.
    func startDictating() async throws {
        try await finishIdleWork()
        try await press("Super_L", "d")
        try await eventually("it listens") { try await dictation("state") == "\"listening\"" }
    }

    func stopDictating() async throws {
        try await finishIdleWork()
        try await press("Super_L", "d")
        try await eventually("it no longer listens") { try await dictation("state") == "\"idle\"" }
    }

    /// Waits until the shell has updated its key bindings, which it does when it is idle. A key whose binding was removed
    /// before makes GNOME Shell 43 crash if it is pressed earlier.
    private func finishIdleWork() async throws {
        try await run(
            "global.isIdle = false; imports.gi.GLib.idle_add(300, () => { global.isIdle = true; return false; })"
        )
        try await eventually("the shell is idle") { try await evaluate("global.isIdle") == "true" }
    }

    /// Waits until the shell knows that the focus has moved.
    func leaveTheField() async throws {
        try await eventually("the shell knows that the field is left") {
            try await dictation("_typing._typist.isAtHome") == "false"
        }
    }

    /// Plays words that the scripted engine recognises.
    func say(_ frequencies: Int...) async throws {
        let samples = frequencies.flatMap { Speech.tone($0, seconds: 0.25) + Speech.silence(0.25) }
        try await say(samples)
    }

    func say(_ samples: [Int16]) async throws {
        let end = microphone.played + samples.count
        microphone.play(samples)
        try await eventually("all has been said") { microphone.played >= end }
    }

    /// The texts of the shell's notifications, as JSON.
    func notifications() async throws -> String {
        try await evaluate(
            "\(Self.notifications).map(each => `${each.title} ${each.bannerBodyText ?? each.body}`)")
    }

    /// Clicks a button of the notification with this text.
    func click(_ button: String, on text: String) async throws {
        try await eventually("there is a notification: \(text)") {
            try await notifications().contains(text)
        }
        let found =
            "\(Self.notifications).find(each => (each.bannerBodyText ?? each.body).includes('\(text)'))"
        let action = "each.actions.find(({label}) => label === '\(button)')"
        // GNOME Shell 46 and later have a method for it.
        let activate = "(action => action.activate ? action.activate() : action.callback())(\(action))"
        try await run("(each => { \(activate); each.destroy(); })(\(found))")
    }

    func dismissNotifications() async throws {
        try await run("\(Self.notifications).forEach(each => each.destroy())")
    }

    private static let notifications = "Main.messageTray.getSources().flatMap(each => each.notifications)"

    // MARK: Pictures

    /// A picture of the focused window, as PNG.
    func pictureOfTheWindow() async throws -> Data {
        try await picture("ScreenshotWindow", [.bool(true), .bool(false), .bool(false)])
    }

    private func picture(_ method: MemberName, _ arguments: [Value]) async throws -> Data {
        let file = files.path(of: "picture.png")
        _ = try await connection.call(
            destination: "org.gnome.Shell.Screenshot", path: "/org/gnome/Shell/Screenshot",
            interface: "org.gnome.Shell.Screenshot", member: method, arguments + [.string(file)])
        return try Data(contentsOf: URL(filePath: file))
    }

    /// A picture of a part of the screen, without notifications, kept below .build/screenshots.
    func takeScreenshot(_ name: String, of area: (x: Int32, y: Int32, width: Int32, height: Int32))
        async throws
    {
        try await dismissNotifications()
        try keep(
            try await picture(
                "ScreenshotArea",
                [.int32(area.x), .int32(area.y), .int32(area.width), .int32(area.height), .bool(false)]),
            as: name)
    }

    private func keep(_ picture: Data, as name: String) throws {
        let folder = repository.appending(path: ".build/screenshots")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try picture.write(to: folder.appending(path: "\(name).png"))
    }

    /// A picture of the screen, kept below .build/screenshots. Waits until the focused window is drawn: until it looks
    /// different from `before`, and no longer changes.
    /// - Returns: a picture of the focused window.
    @discardableResult
    func takeScreenshot(_ name: String, unlike before: Data) async throws -> Data {
        var last = before
        try await eventually("the window is drawn: \(name)") {
            let now = try await pictureOfTheWindow()
            defer { last = now }
            return now != before && now == last
        }
        try await takeScreenshot(name)
        return last
    }

    /// A picture of the screen, without notifications, kept below .build/screenshots.
    func takeScreenshot(_ name: String) async throws {
        try await dismissNotifications()
        try await eventually("no notification is shown") {
            try await evaluate("Main.messageTray._notification === null") == "true"
        }
        try await keepScreenshot(name)
    }

    /// A picture of the screen as it is, kept below .build/screenshots.
    func keepScreenshot(_ name: String) async throws {
        try keep(try await picture("Screenshot", [.bool(false), .bool(false)]), as: name)
    }

    // MARK: The rest of the machine

    /// Opens a window and waits until it has the focus.
    func open(_ kind: String, _ title: String = "Window", _ arguments: String...) async throws -> TestWindow {
        // The shell may still have the window of the test before.
        try await eventually("no window is called \(title)") {
            try await evaluate("!\(find(title))") == "true"
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

    private func activate(_ title: String) async throws {
        try await eventually("\(title) is there") { try await evaluate("!!\(find(title))") == "true" }
        try await run("\(find(title)).activate(global.get_current_time())")
        try await eventually("\(title) has the focus") {
            try await evaluate("global.display.focus_window?.title") == "\"\(title)\""
        }
    }

    private func find(_ title: String) -> String {
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

    private func waitForTheEngine() async throws {
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
