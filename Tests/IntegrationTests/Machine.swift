import DictationRig
import DictationTestKit
import Testing

/// Runs a test on a private machine, and expects that the daemon then ends normally.
/// - Parameters:
///   - endsByItself: the test is about the daemon's end.
///   - allowsEveryone: all applications are granted without asking.
///   - user: the user that the daemon runs as.
///   - administrator: the administrator's configuration.
///   - prepare: called with the bus before the daemon is started.
func withRig(
    _ configuration: String = "", endsByItself: Bool = false, allowsEveryone: Bool = true,
    as user: TestUser? = nil, descriptorLimit: Int? = nil, administrator: String? = nil,
    prepare: (PrivateBus) async throws -> Void = { _ in },
    _ body: (Rig) async throws -> Void
) async throws {
    let rig = try await Rig(
        configuration, allowsEveryone: allowsEveryone, as: user, descriptorLimit: descriptorLimit,
        administrator: administrator, prepare: prepare)
    do {
        try await body(rig)
    } catch {
        Issue.record("\(error)\nThe daemon's log:\n\(rig.daemon.text(of: .errors))")
    }
    if endsByItself { try rig.checkLog() } else { try await rig.end() }
    try await rig.audio.kill()
}
