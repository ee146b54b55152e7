import DictationRig
import DictationTestKit
import Testing

/// A user's settings with the service for the whole machine, which cannot read the user's file, as their worker can.
@Suite struct UserSettingsTests {
    private static let linger = ["a{sv}", "1", "linger", "b", "true"]

    @Test func eachUserHasTheirOwnSettings() async throws {
        try await withUsers { _, one, other in
            try one.configure("formatting: dictation\nreplacements: {t600: six hundred}\n")
            try await eventually("the next session has the settings") {
                try await dictated(by: one) == "T500 six hundred"
            }
            #expect(try await dictated(by: other) == "t500 t600")
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
            // A running worker keeps its settings, and the next one skips the one with an error.
            let keeper = try #require(one.keeper)
            _ = try await keeper.line(of: .errors) { $0.contains("the configuration was not read again") }
            try await one.killWorker()
            #expect(try await dictated(by: one) == "T500 six hundred")
            let errors = try #require(one.keeper).text(of: .errors)
            #expect(errors.contains("dictation.yaml:3: 'speech-seconds' must be"), "\(errors)")
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
