import DictationCore
import Testing

@testable import DictationService

@Suite struct RecordingPolicyTests {
    private func refusal(of kind: Identity.Kind, canMakeFiles: Bool = true) -> Refusal.Kind? {
        let identity = Identity(uid: 1000, kind: kind, id: kind == .unknown ? "" : "org.example.Editor")
        return RecordingPolicy.refusalOfFolder(from: identity, canMakeFiles: canMakeFiles)?.kind
    }

    @Test func onlyProgramsOutsideASandboxGiveFolders() {
        #expect(refusal(of: .executable) == nil)
        #expect(refusal(of: .app) == nil)
        for kind in [Identity.Kind.flatpak, .snap, .unknown] { #expect(refusal(of: kind) == .accessDenied) }
    }

    @Test func theServiceOfAllUsersNeedsAnAgentForFolders() {
        for kind in [Identity.Kind.executable, .flatpak] {
            #expect(refusal(of: kind, canMakeFiles: false) == .notSupported)
        }
    }
}
