import DictationCore
import Testing

@testable import DictationBus
@testable import DictationWorker

@Suite struct RecordingPolicyTests {
    private func refusal(of kind: Identity.Kind) -> Refusal.Kind? {
        let identity = Identity(uid: 1000, kind: kind, id: kind == .unknown ? "" : "org.example.Editor")
        return RecordingPolicy.refusalOfFolder(from: identity)?.kind
    }

    @Test func onlyProgramsOutsideASandboxGiveFolders() {
        #expect(refusal(of: .executable) == nil)
        #expect(refusal(of: .app) == nil)
        for kind in [Identity.Kind.flatpak, .snap, .unknown] { #expect(refusal(of: kind) == .accessDenied) }
    }
}
