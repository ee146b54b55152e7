import DictationRig
import DictationTestKit
import Testing

/// A user's settings with the service for the whole machine, which cannot read the user's file.
@Suite struct UserSettingsTests {
    private static let linger = ["a{sv}", "1", "linger", "b", "true"]

    @Test func theAgentSendsItsUsersSettings() async throws {
        try await withUsers { _, one, other in
            try one.configure("formatting: dictation\nreplacements: {t600: six hundred}\n")
            try await eventually("the next session has the settings") {
                try await dictated(by: one) == "T500 six hundred"
            }
            #expect(try await dictated(by: other) == "t500 t600")
            // Another agent sends them again. Until it has registered, callers cannot be identified.
            try await one.killAgent()
            try one.startAgent()
            try await eventually("the next session has the settings") {
                (try? await dictated(by: one)) == "T500 six hundred"
            }
            try one.configure("")
            try await eventually("the settings are gone") {
                try await dictated(by: one) == "t500 t600"
            }
        }
    }

    @Test func whatInterruptsChangesDuringTheInterruption() async throws {
        try await withUsers { rig, one, _ in
            _ = try await one.busctl("Start", Self.linger)
            try await one.state("listening")
            try await rig.logind.setLockedHint(true, one.session)
            try await one.state("interrupted")
            try one.configure("interrupting: [call]\n")
            try await one.state("listening")
            try one.configure("interrupting: [call, session-locked]\n")
            try await one.state("interrupted")
            try await rig.logind.setLockedHint(false, one.session)
            try await one.state("listening")
            _ = try await one.busctl("Stop")
        }
    }

    /// Without an agent, what the service's own file sets does not come back.
    @Test func settingsAreKeptWhileTheAgentRestarts() async throws {
        try await withUsers(tones + "\nresume-within: {session-locked: 0}\n") { rig, one, _ in
            try one.configure("formatting: dictation\nresume-within: {session-locked: 3600}\n")
            try await eventually("the settings are used") { try await dictated(by: one) == "T500 t600" }
            _ = try await one.busctl("Start", Self.linger)
            try await one.state("listening")
            try await rig.logind.setLockedHint(true, one.session)
            try await one.state("interrupted")
            try await one.killAgent()
            try one.startAgent()
            try await rig.logind.setLockedHint(false, one.session)
            try await eventually("the session resumes") { (try? await one.state()) == "listening" }
            _ = try await one.busctl("Stop")
        }
    }

    @Test func theFirstSessionAfterARestartOfTheServiceHasTheSettings() async throws {
        try await withUsers { rig, one, _ in
            try one.configure("formatting: dictation\n")
            try await eventually("the settings are used") { try await dictated(by: one) == "T500 t600" }
            for _ in 1...3 {
                try await rig.restartDaemon()
                #expect(try await dictated(by: one) == "T500 t600")
            }
        }
    }

    @Test func aSettingWithAnErrorIsSkipped() async throws {
        try await withUsers { _, one, _ in
            try one.configure(
                "replacements: {t600: six hundred}\nspeech-seconds: soon\nformatting: dictation\n")
            try await eventually("the other settings are used") {
                try await dictated(by: one) == "T500 six hundred"
            }
            let errors = try #require(one.agent).text(of: .errors)
            #expect(errors.contains("dictation.yaml:2: 'speech-seconds' must be"), "\(errors)")
        }
    }

    /// The text of a new session, after two words.
    private func dictated(by user: DesktopUser) async throws -> String {
        _ = try await user.busctl("Start", Self.linger)
        try await user.state("listening")
        try await user.say(Speech.tones(500, 600))
        let reply = try await user.busctl("Commit")
        _ = try await user.busctl("Stop")
        return try #require(reply.firstMatch(of: #/^tsa\{sv\} \d+ "([^"]*)"/#)).output.1.description
    }
}
