import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing

/// The daemon is killed, and another one continues the block. At most a second of sound is missing.
@Suite struct KilledServiceTests {
    /// `packaging/soak journal` has 200, every second of them in mid-sentence.
    private static let soakKills = ProcessInfo.processInfo.environment["DICTATION_SOAK_KILLS"].flatMap {
        Int($0)
    }

    private enum Moment: CaseIterable {
        case speaking, paused, inACall, atTheCommit, restoring

        /// The breaks at which a tone may be in two pieces.
        var breaks: Int { self == .atTheCommit ? 2 : 1 }

        static func ofRound(_ round: Int) -> Moment {
            guard soakKills != nil else { return allCases[round] }
            return round.isMultiple(of: 2) ? .speaking : allCases[1 + round / 2 % 4]
        }
    }

    /// Without pauses: it is one segment, which is finished at its end.
    private static func sound(_ tones: [Int]) -> [Int16] { tones.flatMap { Speech.tone($0, seconds: 0.4) } }

    /// A block of tones in which the daemon is killed again and again.
    private struct Dictation {
        let rig: Rig
        let client: TestClient
        let microphone: DriverMicrophone
        var session: UInt64
        /// The words of the present block.
        var spoken: [String] = []
        var lost = 0
        private var random = TestRandom("kills")

        init(on rig: Rig, pace: DriverMicrophone.Pace) async throws {
            self.rig = rig
            microphone = try await rig.plugIn(pace: pace)
            client = try await TestClient(on: rig)
            session = try await client.dictation.start(options: [:])
        }

        /// Kills it at this moment in a sentence of different tones, and checks what becomes of the sentence.
        mutating func round(_ moment: Moment) async throws {
            try await client.state("listening")
            let tones = (0..<8).map { 300 + 100 * $0 }
            let began = microphone.played
            microphone.play(sound(tones))
            let place = Int.random(in: 32_000..<44_000, using: &random)
            try await eventually("the moment has come") { microphone.played - began >= place }
            let committed = try await kill(at: moment)
            // The microphone says the rest when it is opened again.
            try await resume(after: moment)
            let tail = Speech.silence(0.5) + Speech.tones(3300) + Speech.silence(1)
            microphone.play(tail)
            let end = began + sound(tones).count + tail.count
            try await eventually("all has been said") { microphone.played >= end }
            var words: [String] = []
            try await eventually("the sentence is finished") {
                words = try await client.dictation.getSession().words
                return words.last == "t3300"
            }
            #expect(words.starts(with: spoken), "\(words) does not begin with \(spoken)")
            check(committed + words.dropFirst(spoken.count).dropLast(), tones.map { "t\($0)" }, moment)
            spoken = words
            client.beginStep()
            try await client.dictation.pause()
            try await client.dictation.resume()
        }

        private mutating func check(_ heard: [String], _ said: [String], _ moment: Moment) {
            var once: [String] = []
            for word in heard where word != once.last { once.append(word) }
            #expect(heard.count - once.count <= moment.breaks, "\(moment): \(heard) of \(said)")
            let missing = said.filter { !once.contains($0) }
            #expect(once == said.filter { once.contains($0) }, "\(moment): \(heard) of \(said)")
            // A second has two tones and parts of two others. Sound is restored once.
            if moment != .restoring { #expect(missing.count <= 3, "\(moment): \(heard) of \(said)") }
            if moment == .speaking { lost += missing.count }
        }

        /// - Returns: the words that a Commit has returned.
        private mutating func kill(at moment: Moment) async throws -> [String] {
            var committed: [String] = []
            switch moment {
            case .speaking: try await rig.crash()
            case .paused:
                try await client.dictation.pause()
                try await rig.crash()
            case .inACall:
                let call = try rig.audio.record(role: "Communication", ["application.name": "Phone"])
                try await client.signal("Interrupted") { signal in
                    if case .interrupted(_, "call", _) = signal { true } else { nil }
                }
                try await rig.crash()
                call.kill()
                _ = try await call.exitStatus()
            case .atTheCommit:
                let text = try await client.dictation.commit().text
                try await rig.crash()
                committed = text.split(separator: " ").dropFirst(spoken.count).map(String.init)
                spoken = []
            case .restoring:
                try await rig.crashAndReplaceDaemon()
                _ = try await client.dictation.getSession()
                try await rig.crash()
            }
            try await rig.replaceDaemon()
            return committed
        }

        private mutating func resume(after moment: Moment) async throws {
            client.beginStep()
            let report = try await client.dictation.getSession()
            if moment == .atTheCommit, report.state == "idle" {
                // Nothing was said after the Commit.
                session = try await client.dictation.start(options: [:])
                return try await client.state("listening")
            }
            #expect(report[SessionKey.session] == .uint64(session))
            #expect(report.state == "paused")
            #expect(report[SessionKey.owner] == .bool(true))
            try await client.signal("the restored state") { signal in
                if case .stateChanged(session, "paused", "service-restarted", _) = signal {
                    true
                } else {
                    nil
                }
            }
            #expect(try await !client.isMicrophoneInUse())
            if moment == .speaking { #expect(try report.dropouts() > 0) }
            try await client.dictation.resume()
            try await client.state("listening")
        }
    }

    @Test func theBlockContinues() async throws {
        try await withRig(tones, endsByItself: true) { rig in
            let isSoak = Self.soakKills != nil
            var dictation = try await Dictation(
                on: rig, pace: isSoak ? .realTime : .cycle(every: .milliseconds(10)))
            let kills = Self.soakKills ?? Moment.allCases.count
            for round in 0..<kills { try await dictation.round(.ofRound(round)) }
            print(
                "\(kills) kills; those in mid-sentence lost \(dictation.lost) tones of 0.4 s")
            let client = dictation.client
            try await client.state("listening")
            let final = try await client.dictation.commit()
            #expect(final.text == dictation.spoken.joined(separator: " "))
            guard case .uint64(let told)? = final.details[FinalKey.dropouts] else {
                throw TestFailure("no dropouts: \(final)")
            }
            #expect(told > 0)
            #expect(try rig.journals().allSatisfy(\.isEmpty))
            try await client.dictation.stop()
            try await rig.end()
        }
    }

    /// PocketSphinx, and recorded speech: the text is what it would have been, except for the words around the kill.
    @Test func aSentenceContinues() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn(pace: .cycle(every: .milliseconds(10)))
            let client = try await TestClient.listening(on: rig)
            let speech = try Speech.john() + Speech.silence(1)
            func words() async throws -> [String] {
                try await client.isDecoded()
                let text = try await client.dictation.commit(timeout: .seconds(60)).text
                return text.split(separator: " ").map(String.init)
            }
            try await rig.say(speech, into: microphone)
            let whole = try await words()
            #expect(whole.count > 15)
            // The same places in each run: what PocketSphinx makes of a cut word depends on the place.
            var random = SplitMix(seed: 1)
            for round in 0..<(Self.soakKills ?? 10) / 10 {
                let began = microphone.played
                microphone.play(speech)
                let place = Int.random(in: 16_000..<speech.count - 32_000, using: &random)
                try await eventually("the moment has come") { microphone.played - began >= place }
                try await rig.crashAndReplaceDaemon()
                _ = try await client.dictation.getSession()
                try await client.dictation.resume()
                try await eventually("all has been said") { microphone.played - began >= speech.count }
                let found = try await words()
                let kept = Self.common(whole, found)
                print("kill \(round): \(kept) of \(whole.count) words, and \(found.count - kept) others")
                // Three to four words in a second, and one on either side whose sound or context is cut.
                #expect(whole.count - kept <= 6 && found.count - kept <= 6, "\(place): \(found) of \(whole)")
            }
        }
    }

    /// The length of the longest common subsequence.
    private static func common(_ one: [String], _ other: [String]) -> Int {
        one.count - other.difference(from: one).removals.count
    }

    /// The sound may be what kills the service: it is decoded once.
    @Test func soundThatKillsTheServiceIsNotDecodedAgain() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.say(Speech.john().prefix(40_000) + Speech.silence(1), into: microphone)
            var text = ""
            try await eventually("it is understood", within: .seconds(90)) {
                // Without the sound of a finished segment. Its text is not that of the last hypothesis.
                guard try rig.journalSize() < 20_000 else { return false }
                text = try await client.dictation.getSession().text
                return !text.isEmpty
            }
            microphone.play(try Speech.amiable())
            try await eventually("sound is in the journal") { try rig.journalSize() > 100_000 }
            try await rig.crashAndReplaceDaemon()
            let restored = try await client.dictation.getSession().text
            // The model is being loaded, or the sound decoded.
            let worker = try rig.workerPid()
            try stopProcess(worker)
            #expect(restored.hasPrefix(text))
            try await rig.crash()
            Glibc.kill(worker, SIGKILL)
            try await rig.replaceDaemon()
            let report = try await client.dictation.getSession()
            #expect(report.text == text)
            #expect(try report.dropouts() > 32_000)
            #expect(try rig.journalSize() < 20_000)
            #expect(try await client.dictation.commit(timeout: .seconds(60)).text == text)
        }
    }
}
