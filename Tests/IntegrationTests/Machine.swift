import DictationRig
import DictationTestKit
import Testing

/// Runs a test on a machine of its own, and asserts that the daemon then ends as it should.
/// - Parameter endsByItself: the test is about the daemon's end.
func withRig(
    _ configuration: String = "", endsByItself: Bool = false, _ body: (Rig) async throws -> Void
) async throws {
    let rig = try await Rig(configuration)
    do {
        try await body(rig)
    } catch {
        Issue.record("\(error)\nThe daemon's log:\n\(rig.daemon.text(of: .errors))")
    }
    if !endsByItself { try await rig.end() }
    try await rig.audio.kill()
}
