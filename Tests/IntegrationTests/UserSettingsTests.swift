import DictationRig
import DictationTestKit
import Foundation
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

    @Test func settingsWithAnErrorEraseNothingOfTheHistory() async throws {
        try await withUsers { _, one, _ in
            func sounds() -> Set<String> {
                let names = try? FileManager.default.contentsOfDirectory(atPath: one.historyFolder)
                return Set(names ?? []).filter { $0.hasSuffix(".wav") }
            }
            let chosen = "history: 7 days\nhistory-sound: true\n"
            try one.configure(chosen)
            try await eventually("the settings are used") {
                _ = try await dictated(by: one)
                return !sounds().isEmpty
            }
            let kept = sounds()
            for wrong in [
                "history: sometimes\n", "history: 7 days\nhistory-sound: tru\n", "histry: 7 days\n",
            ] {
                try one.configure(wrong)
                try await one.killWorker()
                #expect(try await dictated(by: one) == "t500 t600")
                #expect(sounds().isSuperset(of: kept), "\(wrong)")
            }
            func expectOneMore() async throws {
                let before = sounds()
                try await eventually("the next text is kept too") {
                    _ = try await dictated(by: one)
                    return sounds().count > before.count
                }
                #expect(sounds().isSuperset(of: before))
            }
            // The running worker reads the history as soon as the settings are mended.
            try one.configure(chosen)
            try await expectOneMore()
            // An error elsewhere says nothing of the history.
            try one.configure(chosen + "speech-seconds: soon\n")
            try await one.killWorker()
            try await expectOneMore()
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
