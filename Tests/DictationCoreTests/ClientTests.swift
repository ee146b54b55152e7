import DictationCore
import Testing

@Suite struct ClientTests {
    private func identity(_ kind: Identity.Kind, _ id: String = "org.example.Editor") -> Identity {
        Identity(uid: 1000, kind: kind, id: id)
    }

    @Test func applicationsOfFlatpakAndSnapAreInASandbox() {
        #expect(identity(.flatpak).isSandboxed && identity(.snap).isSandboxed)
        #expect(!identity(.app).isSandboxed && !identity(.executable, "/usr/bin/vi").isSandboxed)
    }

    /// Else a table of them would be as slow as a list. Any program can store thousands.
    @Test func differentTextsHaveDifferentHashes() {
        let texts = Set((0..<1000).map { ComparedByBytes(wrappedValue: "\($0)").hashValue })
        #expect(texts.count > 900)
        let identities = Set((0..<1000).map { identity(.executable, "/\($0)").hashValue })
        #expect(identities.count > 900)
    }
}
