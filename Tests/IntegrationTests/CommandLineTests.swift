import DictationInterface
import DictationTestKit
import Testing

/// The service as one-liners on a terminal use it.
@Suite struct CommandLineTests {
    /// Every method in an order in which each makes sense; the arguments as gdbus and as busctl take them.
    static let calls: [(method: String, gdbus: [String], busctl: [String])] = [
        ("CheckPermission", [], []),
        (
            "RequestPermission", ["['microphone', 'speech']", "{}"],
            ["asa{sv}", "2", "microphone", "speech", "0"]
        ),
        ("ListRoutes", [], []),
        ("SelectRoute", ["", "{}"], ["sa{sv}", "", "0"]),
        ("Subscribe", ["{}"], ["a{sv}", "0"]),
        ("Start", ["{'linger': <true>}"], ["a{sv}", "1", "linger", "b", "true"]),
        ("GetSession", [], []),
        ("Pause", [], []),
        ("Resume", [], []),
        ("Cancel", [], []),
        ("Commit", [], []),
        ("Stop", [], []),
    ]

    @Test func theCallsCoverTheWholeInterface() {
        #expect(
            Set(Self.calls.map(\.method)) == Set(DictationInterface.description.methods.map(\.name.rawValue)))
    }

    @Test func everyMethodAnswersGDBus() async throws {
        try await withRig(configuration: scripted) { rig in
            for call in Self.calls {
                let answer = try await rig.gdbus(call.method, arguments: call.gdbus)
                #expect(answer.hasPrefix("("), "\(call.method): \(answer)")
            }
        }
    }

    @Test func everyMethodAnswersBusctl() async throws {
        try await withRig(configuration: scripted) { rig in
            for call in Self.calls { _ = try await rig.busctl(call.method, arguments: call.busctl) }
        }
    }

    @Test func fourSeparateProcessesDriveALingeringSession() async throws {
        try await withRig { rig in
            let microphone = try await rig.audio.addMicrophone(playing: "\(librivox)-0870.wav")
            #expect(try await rig.busctl("Start", "a{sv}", "1", "linger", "b", "true") == "t 1")
            try await microphone.played()
            #expect(try await rig.busctl("Pause").isEmpty)
            #expect(try await rig.busctl("Resume").isEmpty)
            let answer = try await rig.busctl("Commit")
            #expect(answer.hasPrefix("tsa{sv} 1 \""), "\(answer)")
            #expect(answer.contains("dashwood"), "\(answer)")
        }
    }
}
