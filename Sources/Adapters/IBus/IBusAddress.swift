import EventLoop
import Glibc
import TypingRoutes

/// Finds the address of this desktop session's IBus daemon.
struct IBusAddress {
    /// The variables of the desktop session.
    let environment: [String: String]

    /// Blocks, because it reads files.
    func find() throws(RouteError) -> String {
        if let address = variable("IBUS_ADDRESS") { return address }
        let path = try file()
        let text: String?
        do throws(EventLoopError) {
            text = try TextFile.read(path)
        } catch {
            throw RouteError("The address of IBus in \(path) cannot be read: \(error.reason).")
        }
        guard let text else { throw Self.notRunning }
        return try address(in: text)
    }

    /// The address in the daemon's file, if that daemon still runs.
    func address(in text: String) throws(RouteError) -> String {
        var values: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let separator = line.firstIndex(of: "=") else { continue }
            values[line[..<separator]] = line[line.index(after: separator)...]
        }
        guard let address = values["IBUS_ADDRESS"], !address.isEmpty,
            let pid = values["IBUS_DAEMON_PID"].flatMap({ pid_t($0) }), pid > 0, isAlive(pid)
        else { throw Self.notRunning }
        return String(address)
    }

    /// The path of the daemon's file. libibus names it after the machine and the display.
    func file() throws(RouteError) -> String {
        if let path = variable("IBUS_ADDRESS_FILE") { return path }
        guard let folder = variable("XDG_CONFIG_HOME") ?? variable("HOME").map({ "\($0)/.config" }) else {
            throw RouteError("HOME is not set, so IBus cannot be found.", remedy: "Log in to a session.")
        }
        guard let display = display() else {
            throw RouteError("There is no graphical session here.", remedy: "Run this in a desktop session.")
        }
        return "\(folder)/ibus/bus/\(try machineID())-\(display)"
    }

    /// `unix-wayland-0`, or the host and number of an X display: `unix-0`.
    private func display() -> String? {
        if let display = variable("WAYLAND_DISPLAY") {
            return "unix-" + (display.split(separator: "/").last.map(String.init) ?? display)
        }
        guard let display = variable("DISPLAY"), let colon = display.lastIndex(of: ":") else { return nil }
        let host = display[..<colon]
        let number = display[display.index(after: colon)...].prefix { $0 != "." }
        return "\(host.isEmpty ? "unix" : host)-\(number)"
    }

    private func machineID() throws(RouteError) -> String {
        for path in ["/var/lib/dbus/machine-id", "/etc/machine-id"] {
            guard let text = try? TextFile.read(path), let id = text.split(separator: "\n").first else {
                continue
            }
            return String(id)
        }
        throw RouteError(
            "This machine has no machine-id, so IBus cannot be found.", remedy: "Run: dbus-uuidgen --ensure"
        )
    }

    private func isAlive(_ pid: pid_t) -> Bool { kill(pid, 0) == 0 || errno == EPERM }

    private func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    static let notRunning = RouteError(
        "IBus is not running.",
        remedy: """
            Install the package ibus, start “ibus-daemon --daemonize --xim”, and set GTK_IM_MODULE=ibus, \
            QT_IM_MODULE=ibus and XMODIFIERS=@im=ibus for your session (Debian: im-config -n ibus).
            """)
}
