import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// wyoming-faster-whisper with Whisper tiny.en, used through the daemon.
@Suite struct WhisperTests {
    private static let folder = "/usr/share/pocketsphinx/test/data/librivox/"

    /// PocketSphinx alone recognises a quarter of these words wrongly.
    @Test func whisperHasAtMostSixPercentWordErrors() async throws {
        let server = try WhisperServer()
        // Commits wait long enough for Whisper on a busy machine. Other tests check the timeout.
        try await withRig(secondPass(at: "unix:\(server.socket)", fallback: "wait")) { rig in
            let microphone = try await rig.plugIn(pace: .spoken)
            let client = try await TestClient.listening(on: rig)
            var speech: [Int16] = []
            for id in try Self.lines("fileids") {
                speech += try WaveFile.samples(of: "\(Self.folder)\(id).wav")
            }
            try await server.listens()
            try await rig.say(speech + Speech.silence(0.6), into: microphone)
            let (_, text, details) = try await client.dictation.commit(timeout: .seconds(60))
            let reference = try Self.lines("transcription").joined(separator: " ")
                .replacing(/<\/?s>/, with: "").replacing(/\([^)]*\)/, with: "")
            let errors = WordErrorRate(
                of: countedWords(of: text), reference: countedWords(of: reference))
            print("Whisper tiny.en: \(errors); fallback: \(details["fallback"].map { "\($0)" } ?? "none")")
            #expect(details["engine"] == .string("whisper"))
            #expect(errors.rate <= 0.06, "\(errors): \(text)")
        }
    }

    private static func lines(_ file: String) throws -> [String] {
        try String(contentsOfFile: folder + file, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
