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
    let daemons: Mutex<ChildProcess>
    let shell: ChildProcess
    let address: String
    let connection: Connection
    let buses: [ChildProcess]
    /// Ends with the session bus.
    let accessibility: ChildProcess?
    let environment: [String: String]
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
            .merging(
                language.isEmpty ? [:] : try DictationTestKit.environment(ofLanguage: language, in: files)
            ) { $1 }
        let daemon = try Self.startDaemon(audio, environment, files, address)
        daemons = Mutex(daemon)
        _ = try await daemon.line(of: .errors) { $0.contains("listening on the bus") }
        connection = try await Connection(to: .custom(address))
        // As the user answers when the extension asks.
        let grant = try ChildProcess(
            audio.command([
                executable("dictation-cli"), "permissions", "grant", "executable:/usr/bin/gnome-shell",
                "typing",
            ]), environment: environment)
        guard try await grant.exitStatus() == .exited(0) else {
            throw TestFailure("The shell may not type: \(grant.text(of: .errors))")
        }
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

    static func startDaemon(
        _ audio: PrivatePipeWire, _ environment: [String: String], _ files: TemporaryDirectory,
        _ address: String
    ) throws -> ChildProcess {
        try ChildProcess(
            audio.command([
                executable("dictationd"), "--bus", address, "--verbose", "--config",
                files.path(of: "dictation.yaml"),
            ]), environment: environment)
    }

    static func startAccessibility(
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
    static func startShell(
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
    func threadsOfTheShell() -> String {
        let folder = "/proc/\(shell.pid)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.sorted().map { thread in
            ["comm", "wchan", "syscall"].map { file in
                let text = try? String(contentsOfFile: "\(folder)/\(thread)/\(file)", encoding: .utf8)
                return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "-"
            }.joined(separator: " ")
        }.joined(separator: "\n")
    }

    func waitUntilReady() async throws {
        try await eventually("the shell answers") {
            (try? await evaluate("!Main.layoutManager._startingUp")) == "true"
        }
        try await run("Main.overview.hide()")
        try await eventually("the overview is gone", equals: "false") {
            try await evaluate("Main.overview.visible")
        }
        try await eventually("the extension is enabled", equals: "1") {
            try await evaluate("Main.extensionManager.lookup('\(Self.uuid)')?.state")
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

    static func makeHome(
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
        // The shell and the command line have permission; for others the user is asked.
        try files.write(
            """
            engine: \(engine)
            history: 7 days
            history-sound: true
            engines: [{name: answering, wyoming: "unix:\(files.path(of: "engine.sock"))", fallback: \(fallback)}]
            permissions:
              allow: ["executable:/usr/bin/gnome-shell", "executable:\(executable("dictation-cli"))"]
            """, to: "dictation.yaml")
        let resources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Resources")
        for program in ["window.py", "screen-reader.py", "fields.py"] {
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

    static func output(of command: [String]) async throws -> String {
        let run = try await ChildProcess.run(command)
        guard run.status == .exited(0) else { throw TestFailure("\(command): \(run.errors)") }
        return run.output
    }

    static func bus(_ name: String, in files: TemporaryDirectory) throws -> (
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
    func endShell() async throws { try await Self.end(shell) }

    static func end(_ shell: ChildProcess) async throws {
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

    static func programs(of shell: Int32) throws -> [Program] {
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
}
