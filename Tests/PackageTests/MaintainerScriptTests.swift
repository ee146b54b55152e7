import DictationTestKit
import Foundation
import Glibc
import Testing

/// What installing and purging the packages does beside their files. The scripts run with other folders in the place of /etc,
/// /run and /var.
@Suite struct MaintainerScriptTests {
    private let root: TemporaryDirectory

    init() throws {
        root = try TemporaryDirectory()
        for file in ["etc/dictation/dictation.yaml", "var/lib/dictation/permissions.sqlite"] {
            try root.write("", to: file)
        }
        try root.write("", to: "run/systemd/system/.keep")
    }

    private func run(_ script: String, _ argument: String) async throws {
        let path = repository.appending(path: "packaging/debian/\(script)").path
        let namespace = #"""
            for folder in etc run var; do mount --bind "$0/$folder" "/$folder"; done
            PATH="$0/bin:/usr/bin:/bin" exec sh "$@"
            """#
        let result = try await ChildProcess.run([
            "unshare", "--mount", "sh", "-ec", namespace, root.path, path, argument,
        ])
        #expect(result.status == .exited(0) && result.errors.isEmpty, "\(result.errors)")
    }

    private func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.path(of: path))
    }

    /// dictation-session reads the administrator's settings too. They go with the package that both need.
    @Test func purgingTheServiceKeepsTheSettings() async throws {
        try await run("dictation.postrm", "purge")
        #expect(exists("etc/dictation/dictation.yaml") && !exists("var/lib/dictation"))
        try await run("dictation-common.postrm", "remove")
        #expect(exists("etc/dictation/dictation.yaml"))
        try await run("dictation-common.postrm", "purge")
        #expect(!exists("etc/dictation"))
    }

    /// Otherwise users who are logged in could not dictate until the next login.
    @Test func installingReachesTheServiceManagersOfUsers() async throws {
        let calls = root.path(of: "calls")
        try root.write(
            """
            #!/bin/sh
            echo "$@" >>\(calls)
            case "$*" in
            list-units*) printf 'user@1000.service loaded active running A\\nuser@1001.service loaded active running B\\n' ;;
            *1001@*) exit 1 ;;
            esac
            """, to: "bin/systemctl")
        chmod(root.path(of: "bin/systemctl"), 0o755)
        try await run("dictation.postinst", "configure")
        let lines = try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n")
        let verbs = [
            "daemon-reload", "restart dictation-worker.path", "try-restart dictation-worker.service",
        ]
        for user in [1000, 1001] {
            #expect(
                lines.filter { $0.contains("\(user)@") }
                    == verbs.map { "--quiet --user --machine=\(user)@ \($0)" })
        }
    }
}
