import DBus

/// A notification on the desktop, from a command without a terminal.
struct DesktopNotification {
    let title: String

    /// What shows it may be missing.
    func show() async {
        do {
            let connection = try await Connection(to: .session)
            _ = try await connection.call(
                destination: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
                interface: "org.freedesktop.Notifications", member: "Notify",
                [
                    Value("Dictation"), Value(UInt32(0)), Value("audio-input-microphone"), Value(title),
                    Value(""), Value([] as [BusText]), Value([:] as [BusText: Value]), Value(Int32(-1)),
                ], timeout: .seconds(5))
        } catch {
            Output.standardError.writeNotice("\(error)")
        }
    }
}
