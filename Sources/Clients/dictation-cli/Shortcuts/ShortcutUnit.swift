import Foundation

/// The part of the user's unit of dictation-worker(1) that has it stay with the session and ask for the keys.
struct ShortcutUnit {
    private static let unit = "dictation-worker.service"
    /// What "systemctl edit" writes is read later, and wins.
    private static let name = "50-shortcut.conf"
    private static let text = """
        # Written by "dictation-cli shortcut --bind".
        [Service]
        Environment=DICTATION_WORKER_OPTIONS=--stay

        """

    /// Enables and restarts the unit. What a running worker has is committed.
    func enable() throws {
        let folder = try EnginePlaces.unitFolder(ProcessInfo.processInfo.environment)
        try SettingsFile(path: "\(folder)/\(Self.unit).d/\(Self.name)").write(Self.text)
        for arguments in [["daemon-reload"], ["enable", Self.unit], ["restart", Self.unit]] {
            try Program.run(["systemctl", "--user"] + arguments)
        }
    }
}
