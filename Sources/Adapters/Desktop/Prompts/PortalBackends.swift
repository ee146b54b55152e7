internal import DBus
internal import Glibc

/// The programs that show the desktop portal's dialogs on this desktop, chosen as xdg-desktop-portal does: by
/// `portals.conf(5)` and the installed `.portal` files.
struct PortalBackends {
    let environment: [String: String]

    /// Works on any desktop.
    private static let last: BusName = "org.freedesktop.impl.portal.desktop.gtk"
    private static let any = "*"
    private static let none = "none"

    /// An installed backend.
    private struct Backend {
        let id: String
        let busName: BusName
        let desktops: [String]
    }

    /// The backends that have the interface, the preferred one first. Reads files, which may block.
    func names(for interface: InterfaceName) -> [BusName] {
        let installed = installed(interface)
        let preferred = preferred(interface) ?? []
        if preferred.first == Self.none { return [] }
        let chosen = preferred.flatMap { id in installed.filter { $0.id == id || id == Self.any } }
        let meant = desktops.flatMap { desktop in installed.filter { $0.desktops.contains(desktop) } }
        var names: [BusName] = []
        for name in (chosen + meant).map(\.busName) + [Self.last] where !names.contains(name) {
            names.append(name)
        }
        return names
    }

    /// The IDs in the first configuration file that exists: the user's, the administrator's or the desktop's.
    private func preferred(_ interface: InterfaceName) -> [String]? {
        let folders = configurationFolders.map { "\($0)/xdg-desktop-portal" }
        let files = desktops.map { "\($0)-portals.conf" } + ["portals.conf"]
        let path = folders.flatMap { folder in files.map { "\(folder)/\($0)" } }
        guard let file = path.lazy.compactMap({ KeyFile(path: $0) }).first else { return nil }
        return file.list("preferred", interface.rawValue) ?? file.list("preferred", "default")
    }

    private func installed(_ interface: InterfaceName) -> [Backend] {
        dataFolders.flatMap { Self.paths(matching: "\($0)/xdg-desktop-portal/portals/*.portal") }.compactMap {
            path in
            guard let file = KeyFile(path: path),
                let name = file["portal", "DBusName"].flatMap({ BusName($0) }),
                file.list("portal", "Interfaces")?.contains(interface.rawValue) == true
            else { return nil }
            let id = path.split(separator: "/").last?.dropLast(".portal".count) ?? ""
            let desktops = file.list("portal", "UseIn") ?? []
            return Backend(id: String(id), busName: name, desktops: desktops.map { $0.lowercased() })
        }
    }

    private var desktops: [String] {
        folders("XDG_CURRENT_DESKTOP", otherwise: []).map { $0.lowercased() }
    }

    private var configurationFolders: [String] {
        folders("XDG_CONFIG_HOME", otherwise: home(".config"))
            + folders("XDG_CONFIG_DIRS", otherwise: ["/etc/xdg"])
            + ["/etc"] + dataFolders
    }

    private var dataFolders: [String] {
        folders("XDG_DATA_HOME", otherwise: home(".local/share"))
            + folders("XDG_DATA_DIRS", otherwise: ["/usr/local/share", "/usr/share"])
    }

    private func home(_ path: String) -> [String] {
        environment["HOME"].map { ["\($0)/\(path)"] } ?? []
    }

    /// The parts of a variable, separated by colons.
    private func folders(_ variable: String, otherwise: [String]) -> [String] {
        guard let value = environment[variable], !value.isEmpty else { return otherwise }
        return value.split(separator: ":").map { String($0) }
    }

    private static func paths(matching pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }
}
