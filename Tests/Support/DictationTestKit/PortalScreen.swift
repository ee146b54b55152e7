import Foundation

/// A virtual screen, and the portal backend that shows dialogs on it, on a private bus.
public final class PortalScreen: Sendable {
    public let backend: ChildProcess
    private let screen: ChildProcess
    private let environment: [String: String]

    /// Starts both. The backend takes a moment to be on the bus.
    /// - Parameters:
    ///   - bus: its address.
    ///   - home: the user's home folder.
    public init(on bus: String, home: String) async throws {
        let program = "/usr/libexec/xdg-desktop-portal-gtk"
        let missing = [program, "/usr/bin/Xvfb", "/usr/bin/xdotool"].filter {
            !FileManager.default.isExecutableFile(atPath: $0)
        }
        guard missing.isEmpty else {
            throw TestFailure(
                "\(missing) not there: install xdg-desktop-portal-gtk, xvfb and xdotool, or run packaging/test"
            )
        }
        screen = try ChildProcess(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"])
        let display = try await screen.line(of: .output)
        environment = [
            "PATH": "/usr/bin:/bin", "HOME": home, "XDG_RUNTIME_DIR": home, "DISPLAY": ":\(display)",
            "DBUS_SESSION_BUS_ADDRESS": bus, "GSETTINGS_BACKEND": "memory", "GTK_USE_PORTAL": "0",
            "NO_AT_BRIDGE": "1", "LC_ALL": "C.UTF-8", "GDK_BACKEND": "x11",
        ]
        backend = try ChildProcess([program], environment: environment)
    }

    /// The dialogs on the screen, by window ID.
    public func dialogs() async throws -> [String] {
        let found = try await ChildProcess.run(
            ["xdotool", "search", "--onlyvisible", "--class", "xdg-desktop-portal-gtk"],
            environment: environment)
        return found.output.split(separator: "\n").map { String($0) }
    }

    /// Waits until exactly one dialog is on the screen, and not this one.
    public func dialog(besides other: String? = nil) async throws -> String {
        var dialogs: [String] = []
        try await eventually("one dialog is shown") {
            dialogs = try await self.dialogs()
            return dialogs.count == 1 && dialogs[0] != other
        }
        return dialogs[0]
    }

    /// Presses a key. Without a window manager the window under the pointer gets it.
    public func press(key: String, in dialog: String) async throws {
        try await xdotool("mousemove", "--window", dialog, "40", "40", "key", key)
    }

    private func xdotool(_ arguments: String...) async throws {
        let run = try await ChildProcess.run(["xdotool"] + arguments, environment: environment)
        guard run.status == .exited(0) else { throw TestFailure("xdotool: \(run.errors)") }
    }

    /// Presses the button at the left or the right of the dialog's lower edge.
    public func press(_ button: Button, of dialog: String) async throws {
        let geometry = try await ChildProcess.run(
            ["xdotool", "getwindowgeometry", "--shell", dialog], environment: environment)
        var values: [Substring: Int] = [:]
        for line in geometry.output.split(separator: "\n") {
            let parts = line.split(separator: "=")
            if parts.count == 2 { values[parts[0]] = Int(parts[1]) }
        }
        guard let width = values["WIDTH"], let height = values["HEIGHT"] else {
            throw TestFailure("no geometry: \(geometry.output)")
        }
        let x = button == .deny ? width / 4 : width * 3 / 4
        try await xdotool("mousemove", "--window", dialog, "\(x)", "\(height - 20)", "click", "1")
    }

    public enum Button {
        case deny, allow
    }
}
