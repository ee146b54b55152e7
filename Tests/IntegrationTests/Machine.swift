import DictationRig
import DictationTestKit
import Testing

/// Runs a test on a machine of its own, and asserts that the daemon then ends as it should.
/// - Parameters:
///   - endsByItself: the test is about the daemon's end.
///   - allowsEveryone: nobody is asked about.
func withRig(
    _ configuration: String = "", endsByItself: Bool = false, allowsEveryone: Bool = true,
    descriptorLimit: Int? = nil, _ body: (Rig) async throws -> Void
) async throws {
    let rig = try await Rig(
        configuration, allowsEveryone: allowsEveryone, descriptorLimit: descriptorLimit)
    do {
        try await body(rig)
    } catch {
        Issue.record("\(error)\nThe daemon's log:\n\(rig.daemon.text(of: .errors))")
    }
    if !endsByItself { try await rig.end() }
    try await rig.audio.kill()
}
