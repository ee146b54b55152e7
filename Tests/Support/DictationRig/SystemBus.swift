public import DictationTestKit
import Foundation
import Glibc

/// A system bus with this project's policy. Debian's user `daemon` takes the place of the user `dictation`; root may
/// own the names of logind and polkit.
public final class SystemBus: Sendable {
    /// The user `daemon`.
    public static let serviceUser = TestUser(1)

    public let address: String
    private let directory: TemporaryDirectory
    private let daemon: ChildProcess

    public init() async throws {
        directory = try TemporaryDirectory()
        // Other users' programs need access to the socket.
        chmod(directory.path, 0o711)
        let stock = try String(contentsOfFile: "/usr/share/dbus-1/system.conf", encoding: .utf8)
        let file = try directory.write(
            stock
                .replacing(
                    /<listen>[^<]*<\/listen>/, with: "<listen>unix:path=\(directory.path)/bus</listen>"
                )
                .replacing("<user>messagebus</user>", with: "")
                .replacing("<fork/>", with: "")
                .replacing(/<pidfile>[^<]*<\/pidfile>/, with: ""),
            to: "system.conf")
        let policy = repository.appending(path: "dbus/org.example.Dictation.conf")
        try directory.write(
            String(contentsOf: policy, encoding: .utf8)
                .replacing("user=\"dictation\"", with: "user=\"daemon\""),
            to: "system.d/org.example.Dictation.conf")
        for service in ["org.freedesktop.login1", "org.freedesktop.PolicyKit1"] {
            try directory.write(Self.policy(of: service), to: "system.d/\(service).conf")
        }
        daemon = try ChildProcess([
            "dbus-daemon", "--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=1",
        ])
        address = try await daemon.line(of: .output)
    }

    private static func policy(of service: String) -> String {
        """
        <busconfig>
          <policy user="root"><allow own="\(service)"/></policy>
          <policy context="default"><allow send_destination="\(service)"/></policy>
        </busconfig>
        """
    }
}
