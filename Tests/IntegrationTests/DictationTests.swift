import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// The main function: speech becomes text.
@Suite struct DictationTests {
    /// On a busy machine, decoding takes longer than D-Bus's timeout.
    private static let untilDecoded = Duration.seconds(180)
    /// Four times real time, which a decoder manages.
    private static let quick = DriverMicrophone.Pace.cycle(every: .milliseconds(5))

    @Test func speechGivesPartialAndFinalText() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn(pace: Self.quick)
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.john() + Speech.silence(0.5), into: microphone)
            let (number, text, details) = try await client.dictation.commit(timeout: Self.untilDecoded)
            #expect(number == 1)
            #expect(text.contains("leisure to consider how much there might be"), "\(text)")
            #expect(try await client.final(1) == text)
            #expect(details["words"] != nil)
            #expect(details["confidence"] != nil)
            #expect(details["engine"] == .string("pocketsphinx"))
        }
    }

    @Test func recognisesSpeechWhileTheModelLoads() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn(pace: .spoken)
            let client = try await TestClient(on: rig)
            // The daemon is new and has no model loaded. Speech begins before the call.
            microphone.play(try Speech.john())
            _ = try await client.dictation.start(options: [:])
            try await eventually("all has been said") { microphone.played >= (try Speech.john().count) }
            let (_, text, _) = try await client.dictation.commit(timeout: Self.untilDecoded)
            let first = text.split(separator: " ").prefix(6).joined(separator: " ")
            #expect(first.contains("john") || first.contains("dashwood"), "\(text)")
        }
    }

    @Test func startRepliesFirstAndCommitLast() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let monitor = try rig.start(["dbus-monitor", "--address", rig.bus.address, "--profile"])
            _ = try await monitor.line(of: .output) { $0.contains("NameLost") }
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            _ = try await client.dictation.commit()
            try await client.dictation.stop()
            let service = try await client.connection.owner(of: DictationInterface.busName)
            _ = try await monitor.line(of: .output) { $0.contains("\tStopped") }
            let name = try #require(service).rawValue
            // Type, time, serial, sender, destination, and for a reply the serial it answers.
            let receiver = client.connection.uniqueName.rawValue
            var sent: [String] = []
            for line in monitor.lines(of: .output) {
                let fields = line.split(separator: "\t")
                guard fields.count > 4, fields[3] == name, fields[4] == receiver else { continue }
                sent.append(fields[0] == "mr" ? "reply" : String(fields[fields.count - 1]))
            }
            #expect(sent.first == "reply", "\(sent)")
            let final = try #require(sent.firstIndex(of: "Final"))
            #expect(sent[final...].contains("reply"), "\(sent)")
            let commits = sent[..<final].filter { $0 == "reply" }.count
            #expect(commits == 1, "only Start was answered before Final: \(sent)")
            let stopped = try #require(sent.firstIndex(of: "Stopped"))
            #expect(sent[..<stopped].filter { $0 == "reply" }.count == 2, "\(sent)")
        }
    }

    @Test func theMicrophoneIsOpenOnlyWhileListening() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            #expect(try await !rig.isCapturing())
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            #expect(try await rig.isCapturing())
            try await client.dictation.pause()
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            try await client.dictation.resume()
            try await eventually("the stream is back") { try await rig.isCapturing() }
            try await client.dictation.stop()
            try await eventually("the stream is gone") { try await !rig.isCapturing() }
            #expect(microphone.emitted > 0)
        }
    }

    @Test func aPauseKeepsTheBlock() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            try await client.signal("the first tone") { _ in client.text(of: 1).contains("t500") ? true : nil
            }
            try await client.dictation.pause()
            client.beginStep()
            try await client.dictation.resume()
            try await client.state("listening")
            try await rig.say(Speech.tones(600), into: microphone)
            try await client.signal("the second tone") { _ in client.text(of: 1).contains("t600") ? true : nil
            }
            #expect(try await client.dictation.commit().text == "t500 t600")
        }
    }

    @Test func silenceAfterSpeechCommits() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn(pace: .spoken)
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: ["auto-commit": .uint32(300)])
            try await client.state("listening")
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await client.final(1) == "t500")
            try await rig.say(Speech.tones(600), into: microphone)
            #expect(try await client.final(2) == "t600")
        }
    }

    @Test func stableTextNeverChanges() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn(pace: Self.quick)
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.start(options: [:])
            try await client.state("listening")
            try await rig.say(Speech.john() + Speech.silence(1) + Speech.john(), into: microphone)
            try await client.signal("a segment is finished") { signal in
                if case .partial(_, 1, _, let stable, _, _) = signal, !stable.isEmpty { true } else { nil }
            }
            let (_, text, _) = try await client.dictation.commit(timeout: Self.untilDecoded)
            var stable = ""
            for case .partial(_, 1, let offset, let addition, _, _) in client.signals {
                #expect(offset == UInt64(stable.unicodeScalars.count))
                stable += addition
            }
            #expect(text.hasPrefix(stable), "\(stable) … \(text)")
            #expect(!stable.isEmpty)
        }
    }
}
