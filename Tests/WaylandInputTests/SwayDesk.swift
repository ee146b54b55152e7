import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Typing
import TypingRoutes
import WaylandInput

/// A headless sway. It refuses to run as root, so everything runs as another user if the test runs as root.
final class SwayDesk: Sendable {
    let sway: ChildProcess
    let environment: [String: String]
    private let user: TestUser?
    private let files: TemporaryDirectory
    /// A virtual keyboard for the seat. Without a keyboard windows do not get the focus.
    private let keyboard: WaylandRoute

    init() async throws {
        user = geteuid() == 0 ? TestUser(5) : nil
        files = try TemporaryDirectory()
        try files.write("default_border none\nxwayland disable\n", to: "sway.conf")
        for (folder, name) in [
            ("DesktopShellTests/Resources", "window.py"), ("WaylandInputTests/Resources", "lines.sh"),
        ] {
            let path = repository.appending(path: "Tests/\(folder)/\(name)").path
            try FileManager.default.copyItem(atPath: path, toPath: files.path(of: name))
        }
        try user?.own(files)
        let environment = [
            "PATH": "/usr/bin:/bin", "HOME": files.path, "XDG_RUNTIME_DIR": files.path,
            "WAYLAND_DISPLAY": "wayland-1", "GDK_BACKEND": "wayland", "LIBGL_ALWAYS_SOFTWARE": "1",
            "GSK_RENDERER": "cairo", "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1", "GTK_A11Y": "none",
            "LC_ALL": "C.UTF-8", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
        ]
        self.environment = environment
        let command = ["sway", "--config", files.path(of: "sway.conf")]
        sway = try ChildProcess(
            user?.command(command) ?? command,
            environment: environment.filter { $0.key != "WAYLAND_DISPLAY" }.merging([
                "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1",
                "SWAYSOCK": files.path(of: "sway.sock"),
            ]) { $1 })
        let keyboard = WaylandRoute(environment: environment, means: .keyboard)
        self.keyboard = keyboard
        let sway = sway
        try await eventually("sway listens") {
            guard sway.isRunning else { throw TestFailure("sway: \(sway.text(of: .errors))") }
            return (try? await keyboard.open { _ in }) != nil
        }
    }

    /// What a service of another session needs to know.
    var display: [String: String] { ["WAYLAND_DISPLAY": files.path(of: "wayland-1")] }

    /// Of sway-ipc(7).
    var socket: String { files.path(of: "sway.sock") }

    /// Opens a window of `window.py`, which has the focus then.
    /// - Parameter hasTextInput: whether its fields take part in Wayland's input methods.
    func window(_ kind: String, _ title: String, hasTextInput: Bool = true) async throws -> TestWindow {
        let command = ["/usr/bin/python3", files.path(of: "window.py"), kind, title]
        let process = try ChildProcess(
            user?.command(command) ?? command,
            environment: environment.merging(
                hasTextInput ? [:] : ["GTK_IM_MODULE": "gtk-im-context-simple"]
            ) { $1 })
        let window = TestWindow(process: process, title: title)
        try await eventually("the window \(title) has the focus; \(process.text(of: .errors))") {
            window.lines.last { $0.active != nil }?.active == true
        }
        return window
    }

    /// A terminal whose program prints each typed line.
    func terminal() async throws -> TestTerminal {
        let terminal = TestTerminal(file: files.path(of: "lines"))
        let command = ["foot", "--title=foot", "/bin/sh", files.path(of: "lines.sh"), terminal.file]
        terminal.process.withLock { [user, environment] process in
            process = try? ChildProcess(user?.command(command) ?? command, environment: environment)
        }
        try await eventually("the terminal is there") { terminal.lines == ["ready"] }
        return terminal
    }

    /// Another program copies a text.
    func copy(_ text: String, _ options: String...) async throws {
        // wl-copy goes into the background and keeps its output open.
        let program = try ChildProcess(["wl-copy"] + options + ["--", text], environment: environment)
        guard try await program.exitStatus() == .exited(0) else {
            throw TestFailure("wl-copy: \(program.text(of: .errors))")
        }
    }

    /// What another program would paste.
    func clipboard(_ options: String...) async throws -> String {
        try await ChildProcess.run(["wl-paste", "--no-newline"] + options, environment: environment).output
    }

    /// A picture of the screen, kept below .build/screenshots. Waits until it looks different from `before`, and no longer
    /// changes.
    @discardableResult
    func takeScreenshot(_ name: String? = nil, unlike before: Data = Data()) async throws -> Data {
        let file = files.path(of: "picture.png")
        var last = before
        try await eventually("the screen is drawn: \(name ?? "")") {
            let run = try await ChildProcess.run(["grim", file], environment: environment)
            guard run.status == .exited(0) else { throw TestFailure("grim: \(run.errors)") }
            let now = try Data(contentsOf: URL(filePath: file))
            defer { last = now }
            return now != before && now == last
        }
        if let name {
            let folder = repository.appending(path: ".build/screenshots")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try last.write(to: folder.appending(path: "\(name).png"))
        }
        return last
    }

    /// Gives the focus to a window.
    func focus(_ title: String) async throws { try await message("[title=\"\(title)\"] focus") }

    /// A command of sway(5).
    func message(_ command: String) async throws {
        let run = try await ChildProcess.run(
            ["swaymsg", "--socket", socket, command], environment: environment)
        guard run.status == .exited(0) else { throw TestFailure("swaymsg: \(run.output)\(run.errors)") }
    }
}

final class TestTerminal: Sendable {
    let file: String
    let process = Lock<ChildProcess?>(nil)

    init(file: String) { self.file = file }

    var lines: [String] {
        ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }
}

/// A route and its reports.
@EventLoopActor
final class RouteUser {
    let route: WaylandRoute
    private(set) var events: [RouteEvent] = []

    init(_ desk: SwayDesk, means: WaylandRoute.Means = .inputMethod) {
        route = WaylandRoute(environment: desk.environment, means: means, readTimeout: timeout)
    }

    func open() async throws {
        try await route.open { [weak self] in self?.events.append($0) }
    }

    var field: TextField? {
        for case .field(let field) in events.reversed() { return field }
        return nil
    }

    func field(_ what: String, where matches: (TextField?) -> Bool) async throws {
        do {
            try await eventually(what) { matches(field) }
        } catch {
            throw TestFailure("\(error), but \(String(describing: field))")
        }
    }

    /// Types a text into the present field, and waits for the report if the route sends one.
    func type(_ text: String, token: UInt64) async throws -> Arrival? {
        let reports = field?.abilities.contains(.commitReports) == true
        route.perform([.commit(text, token: token)])
        guard reports else { return nil }
        var arrival: Arrival?
        try await eventually("the commit is reported") {
            for case .committed(token, let told) in events { arrival = told }
            return arrival != nil
        }
        return arrival
    }
}
