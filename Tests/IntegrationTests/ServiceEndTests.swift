import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

/// What becomes of open blocks when the service is asked to end: an upgrade, a restart, a logout.
@Suite struct ServiceEndTests {
    private static func stopped(_ client: TestClient) async throws -> String {
        try await client.signal("Stopped") { signal in
            if case .stopped(_, let reason, _) = signal { reason } else { nil }
        }
    }

    @Test func openBlocksAreCommittedAndRecordingsAreWhole() async throws {
        try await withRig(tones, endsByItself: true) { rig in
            let microphone = try await rig.plugIn()
            let folder = try TemporaryDirectory()
            let client = try await TestClient.listening(on: rig, ["record": try folder.descriptor])
            try await rig.say(Speech.tones(500) + Speech.silence(1.5), into: microphone)
            // The end comes in the middle of a word, which counts as far as it was said.
            microphone.play(Speech.tones(600, 700, 800, 900))
            try await eventually("words are shown") { client.text(of: 1).contains("t600") }
            let shown = client.text(of: 1)
            try await rig.end()
            let final = try await client.final(1)
            #expect(final.hasPrefix(shown), "\(final), shown \(shown)")
            #expect(try await Self.stopped(client) == "shutdown")
            #expect(client.finals == [1])
            guard case .stopped? = client.signals.last else {
                Issue.record("\(client.signals)")
                return
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let frames = try files.map { try WaveFile.samples(of: folder.path(of: $0)).count }
            let segments = try await client.recordedSegments()
            #expect(segments.map(\.frames) == frames && frames.count == 1)
        }
    }

    @Test func aSessionWithoutTextIsTold() async throws {
        try await withRig(tones, endsByItself: true) { rig in
            try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.end()
            #expect(try await Self.stopped(client) == "shutdown")
            #expect(client.finals.isEmpty)
        }
    }

    @Test func whatNobodyReadsWaitsForTheNextService() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let owner = try await TestClient.listening(on: rig, ["linger": .bool(true)])
            let other = try await TestClient(on: rig)
            await owner.vanish()
            try await rig.speak(into: microphone)
            try await rig.restart()
            #expect(other.story.isEmpty)
            let session = try await other.dictation.getSession()
            #expect(session.state == "paused" && session.text == "t500")
            // It was not used, and is left again.
            try await rig.restart()
            try await rig.restart()
            #expect(try await other.dictation.commit().text == "t500")
            #expect(try rig.traces(of: "t500").isEmpty)
            try await other.dictation.stop()
        }
    }

    @Test func aSessionThatNobodyHasClaimedAfterACrashWaits() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            try await rig.crashAndReplaceDaemon()
            try await rig.restart()
            #expect(try await client.dictation.getSession().text == "t500")
            // Restored, and not used.
            try await rig.restart()
            let session = try await client.dictation.getSession()
            #expect(session.text == "t500" && session.state == "paused")
            client.beginStep()
            try await client.dictation.resume()
            try await client.state("listening")
            // From now on it is an ordinary session.
            client.beginStep()
            try await rig.restart()
            #expect(try await client.final(1) == "t500")
            #expect(try await Self.stopped(client) == "shutdown")
        }
    }

    /// The settings decide about new sessions only.
    @Test func aSessionReturnsWithTheEngineAndTheLanguageThatWereChosenForIt() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            try await rig.crash()
            try rig.home.write(
                "engine: [pocketsphinx, scripted]\nlanguage: en-GB\npermissions:\n  allow: [\"*\"]\n",
                to: "dictation.yaml")
            try await rig.replaceDaemon()
            let final = try await client.dictation.commit()
            #expect(final.text == "t500" && final.details[FinalKey.engine] == .string("scripted"))
            #expect(final.details[FinalKey.language] == .string("en-US"))
        }
    }

    /// The engine that knows its language may come later.
    @Test func aSessionWhoseLanguageIsNotKnownWaits() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            for (language, next) in [("en-US", "xx-US"), ("xx-US", "en-US")] {
                try await rig.crash()
                try JournalForgery.replace(language, by: next, in: try Self.journal(of: rig))
                try await rig.replaceDaemon()
                let session = try await client.dictation.getSession(timeout: .seconds(10))
                #expect(session["text"] == (next == "en-US" ? .string("t500") : nil))
                #expect(try !rig.traces(of: "t500").isEmpty)
            }
        }
    }

    private static func journal(of rig: Rig) throws -> URL {
        let files = try rig.journalNames()
        return URL(filePath: "\(rig.journalFolder)/\(try #require(files.first))")
    }

    /// A file of the journal that no service wrote so.
    @Test func aJournalWithNULIsRestoredWithoutIt() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            try await rig.crash()
            try JournalForgery.replace("t500", by: "t\0\00", in: try Self.journal(of: rig))
            try await rig.replaceDaemon()
            #expect(try await client.dictation.getSession().text == "t0")
        }
    }
}

/// Changes a journal and its checksums, as a program of the same user could.
private enum JournalForgery {
    private static let headerSize = 40

    static func replace(_ text: String, by other: String, in file: URL) throws {
        var bytes = [UInt8](try Data(contentsOf: file))
        let (old, new) = (Array(text.utf8), Array(other.utf8))
        try #require(old.count == new.count)
        var position = 0
        while position + headerSize <= bytes.count {
            let length = Int(
                (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[position + $1]) << (8 * UInt32($1)) })
            let end = position + headerSize + length
            guard end <= bytes.count else { break }
            for start in position + headerSize..<max(position + headerSize, end - old.count + 1)
            where Array(bytes[start..<start + old.count]) == old {
                bytes.replaceSubrange(start..<start + old.count, with: new)
            }
            let covered = bytes[position..<position + 4] + bytes[position + 8..<end]
            let checksum = crc32c(Array(covered))
            for index in 0..<4 {
                bytes[position + 4 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
            }
            // The first record is the anchor, which says where the others begin.
            let start = (0..<8).reduce(0) { $0 | Int(bytes[32 + $1]) << (8 * $1) }
            position = position == 0 ? start : end
        }
        try Data(bytes).write(to: file)
        chmod(file.path, 0o600)
    }

    /// RFC 3720, appendix B.4.
    private static func crc32c(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0x82f6_3b78 : sum >> 1 }
        }
        return ~sum
    }
}
