import DictationClient
import EventLoop
import Foundation

/// Whether dictation-agent runs, which lends the microphone of a desktop session to the service of the machine.
enum AgentCheck {
    /// What to do if there is no microphone because no agent runs; nil if that is not so, or not known.
    static func finding(for place: ServicePlace) async -> Finding? {
        guard place.bus == .system, await Task.detached(operation: isMissing).value else { return nil }
        return .missing(
            "There is no microphone: dictation-agent, which lends it to the service of the machine, does not run here.",
            "Start it: systemctl --user start dictation-agent")
    }

    @Sendable private static func isMissing() -> Bool {
        let pipe = Pipe()
        let (output, input) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        let null = Subprocess.File.path("/dev/null", flags: O_WRONLY)
        // Without systemd it is unknown.
        guard
            let process = try? Subprocess(
                ["systemctl", "--user", "is-active", "dictation-agent.service"],
                files: [1: .descriptor(input.fileDescriptor), 2: null]),
            (try? input.close()) != nil,
            let answer = try? output.read(upToCount: 64),
            (try? process.wait()) != nil
        else { return false }
        return ["inactive\n", "failed\n"].contains(String(decoding: answer, as: UTF8.self))
    }
}
