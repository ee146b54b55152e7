import DictationRig
import DictationTestKit
import Testing

/// Runs a test on a machine with two users at their desktops, and expects that everything then ends normally.
func withUsers(
    _ configuration: String = tones, allowsEveryone: Bool = true,
    _ body: (SystemRig, DesktopUser, DesktopUser) async throws -> Void
) async throws {
    let rig = try await SystemRig(configuration, allowsEveryone: allowsEveryone)
    let one = try await DesktopUser(5, on: rig)
    let other = try await DesktopUser(9, on: rig)
    do {
        for user in [one, other] {
            try await eventually("the microphone of \(user.user.uid) is a route") {
                try await user.busctl("ListRoutes").contains("microphone-of-\(user.user.uid)")
            }
        }
        try await body(rig, one, other)
    } catch {
        Issue.record("\(error)\n\(one.logs)\n\(other.logs)\n\(rig.daemon.text(of: .errors))")
    }
    for user in [one, other] {
        user.keeper?.terminate()
        #expect(try await user.keeper?.exitStatus() ?? .exited(0) == .exited(0))
        try user.checkLog()
    }
    try await rig.end()
    for user in [one, other] { try await user.audio.kill() }
}
