import DictationRig
import DictationTestKit
import Testing

/// The service is ended while users' commits are being finished.
@Suite struct UserShutdownTests {
    @Test func allMicrophonesCloseAtOnce() async throws {
        try await withUsers("") { rig, one, other in
            var streams: [NodeFollower] = []
            for user in [one, other] {
                streams.append(try await NodeFollower("dictation.capture", of: user.audio))
                let fast = try DriverMicrophone(
                    "fast", of: user.audio, pace: .fast, ["priority.session": "9000"])
                _ = try await user.busctl(
                    "Start", ["a{sv}", "2", "linger", "b", "true", "route", "s", "fast"])
                try await eventually("it listens to it") {
                    let session = try await user.busctl("GetSession")
                    return session.contains("\"listening\"") && session.contains("\"fast\"")
                }
                // More than can be recognised within the timeout of commits at the end.
                let speech = try Speech.john()
                for _ in 0..<8 { fast.play(speech) }
                try await eventually("it was heard") { fast.played >= 8 * speech.count }
            }
            let commits = try [one, other].map { user in
                try user.start([
                    "busctl", "--address=\(rig.bus.address)", "call", "org.example.Dictation",
                    "/org/example/Dictation", "org.example.Dictation", "Commit",
                ])
            }
            for user in [one, other] {
                try await eventually("a commit is in progress") {
                    try await user.busctl("GetSession").contains("\"pending\" u 1")
                }
            }
            for stream in streams { try await stream.waits(for: true) }
            rig.daemon.terminate()
            let (here, there) = (
                try await streams[0].waits(for: false), try await streams[1].waits(for: false)
            )
            #expect(abs((there - here) / .milliseconds(1)) < 1500, "\(there - here)")
            for commit in commits { _ = try await commit.exitStatus() }
        }
    }
}
