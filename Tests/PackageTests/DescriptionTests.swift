import DictationTestKit
import Foundation
import Testing

/// The files that the desktop reads about the service.
@Suite struct DescriptionTests {
    @Test func theMetadataIsValid() async throws {
        let file = repository.appending(path: "packaging/org.example.Dictation.metainfo.xml")
        let result = try await ChildProcess.run(["appstreamcli", "validate", "--no-net", file.path])
        #expect(result.status == .exited(0), "\(result.output)")
    }

    @Test func polkitReadsTheAction() async throws {
        let file = repository.appending(path: "packaging/polkit/org.example.dictation.policy")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("<action id=\"org.example.dictation.manage-permissions\">"))
        // Users who are not at the machine are not asked, and nothing is granted without asking.
        for (who, answer) in [("any", "no"), ("inactive", "no"), ("active", "auth_self_keep")] {
            #expect(text.contains("<allow_\(who)>\(answer)</allow_\(who)>"))
        }
        #expect(text.contains("org.freedesktop.policykit.owner\">unix-user:dictation</annotate>"))
    }

    @Test func systemdCreatesTheUser() async throws {
        let root = try TemporaryDirectory()
        let file = repository.appending(path: "packaging/systemd/sysusers.conf")
        try root.write("", to: "etc/passwd")
        try root.write("", to: "etc/group")
        let result = try await ChildProcess.run(["systemd-sysusers", "--root=\(root.path)", file.path])
        #expect(result.status == .exited(0), "\(result.errors)")
        let users = try String(contentsOfFile: root.path(of: "etc/passwd"), encoding: .utf8)
        #expect(
            users.contains(
                /dictation:x:\d+:\d+:Offline voice dictation:\/var\/lib\/dictation:\/usr\/sbin\/nologin\n/))
    }
}
