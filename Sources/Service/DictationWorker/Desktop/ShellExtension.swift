import DBus

/// The extension for GNOME Shell, which has an indicator of its own.
enum ShellExtension {
    private static let shell: BusName = "org.gnome.Shell.Extensions"
    private static let name = "dictation@dictation.example.org"

    /// Whether it is on, in the desktop session with this bus.
    static func isOn(_ session: Connection) async -> Bool {
        do {
            guard try await session.owner(of: shell) != nil else { return false }
            let reply = try await session.call(
                destination: shell, path: "/org/gnome/Shell/Extensions",
                interface: "org.gnome.Shell.Extensions",
                member: "GetExtensionInfo", [.string(BusText(name))], timeout: .seconds(2))
            let details = try reply.decoded(as: [BusText: Value].self)
            return details["state"].flatMap { Double($0) } == 1
        } catch {
            return false
        }
    }
}
