import DictationRig
import DictationTestKit
import Foundation
import Testing

/// One lingering session serves a working day: every word is recognised, and the daemon uses no more at the end than at
/// the beginning.
@Suite struct WorkingDayTests {
    /// Minutes at the pace of speech. `packaging/soak endurance` has 60. Without them, one or two rounds ten times as fast.
    private static let minutes =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_MINUTES"].flatMap { Double($0) }

    /// The text tells exactly which audio arrived, whichever engine recognised it.
    @Test func noWordIsLost() async throws {
        let folder = try TemporaryDirectory()
        let place = "unix:\(folder.path)/engine.sock"
        let engine = try await ScriptedEngineServer(at: place, mode: "tones")
        let configuration = secondPass(at: place, preview: "scripted", punctuates: false)
        try await withRig(configuration) { rig in
            var day = try await WorkingDay(on: rig, Voice.tones(), finalEngine: engine)
            try await day.run(minutes: Self.minutes, rounds: 2, warmUp: 1)
            #expect(day.recognition.lost == [])
            #expect(day.recognition.words > 100)
            try await day.expectFlatUse()
        }
    }

    @Test func recordedSpeechIsRecognisedToTheEnd() async throws {
        try await withRig { rig in
            let isLong = Self.minutes != nil
            var day = try await WorkingDay(on: rig, Voice.recordings(isLong ? 5 : 2))
            // PocketSphinx's tables grow until the 64th utterance.
            try await day.run(minutes: Self.minutes, rounds: 1, warmUp: isLong ? 4 : 0)
            let errors = day.recognition.errorRates
            #expect(errors.allSatisfy { $0 < 0.5 }, "\(errors)")
            let third = max(1, errors.count / 3)
            let (first, last) = (errors.prefix(third), errors.suffix(third))
            let change = last.reduce(0, +) / Double(third) - first.reduce(0, +) / Double(third)
            #expect(change < 0.05, "\(errors)")
            #expect(day.recognition.empty == 0)
            if isLong { try await day.expectFlatUse(kibibytes: 4096) }
        }
    }
}
