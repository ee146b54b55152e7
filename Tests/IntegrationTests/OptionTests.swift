import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Glibc
import Testing

/// Options of Start and settings, with the real daemon.
@Suite struct OptionTests {
    @Test func sendsLevelsOnRequestAtMostTwentyTimesASecond() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn(pace: .spoken)
            let before = microphone.emitted
            let client = try await TestClient.listening(on: rig, ["levels": .bool(true)])
            try await rig.say(Speech.tone(500, seconds: 1.5), into: microphone)
            let levels = client.signals.count { if case .level = $0 { true } else { false } }
            // The microphone's clock counts: its emitted frames give the duration, even on a busy machine.
            let seconds = Double(microphone.emitted - before) / 16000
            #expect(levels >= 10, "\(levels) in \(seconds) s")
            // One may be in progress when counting begins.
            #expect(Double(levels) <= 20 * seconds + 1, "\(levels) in \(seconds) s")
            try await client.dictation.stop()

            let other = try await TestClient.listening(on: rig)
            try await rig.say(Speech.tone(500, seconds: 0.5), into: microphone)
            #expect(try await other.dictation.commit().text == "t500")
            #expect(!other.signals.contains { if case .level = $0 { true } else { false } })
        }
    }

    @Test func levelsOfKnownSoundsAreExactToATenthOfADecibel() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig, ["levels": .bool(true)])
            /// The levels of the sound alone, without the two that contain its beginning and end.
            func levels(of sound: [Int16]) async throws -> [(rms: Double, peak: Double)] {
                client.beginStep()
                try await rig.say(sound + Speech.silence(0.2), into: microphone)
                var heard: [(rms: Double, peak: Double)] = []
                try await eventually("the silence after the sound") {
                    let all = client.signalsOfStep.compactMap { signal -> (rms: Double, peak: Double)? in
                        if case .level(_, let rms, let peak, _) = signal { (rms, peak) } else { nil }
                    }
                    let rest = all.drop { $0.rms < -100 }
                    heard = Array(rest.prefix { $0.rms > -100 })
                    return heard.count < rest.count
                }
                return heard.dropFirst().dropLast()
            }
            // Whole periods in each twentieth of a second.
            let tone = try await levels(of: Speech.tone(500, seconds: 1))
            let peak = 20 * log10(8000 / 32768.0)
            #expect(tone.count >= 10)
            for level in tone {
                #expect(abs(level.rms - (peak - 3.0103)) < 0.1, "\(level)")
                #expect(abs(level.peak - peak) < 0.1, "\(level)")
            }
            var random = SplitMix(seed: 3)
            let noise = (0..<32_000).map { _ in Int16.random(in: -5000...5000, using: &random) }
            let found = try await levels(of: noise)
            #expect(found.count >= 20)
            let mean = found.reduce(0) { $0 + pow(10, $1.rms / 10) } / Double(found.count)
            #expect(abs(10 * log10(mean) - 20 * log10(5000 / 32768.0 / 3.0.squareRoot())) < 0.1)
        }
    }

    @Test func withoutPartialsOnlyTheFinalTextComes() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig, ["partials": .bool(false)])
            try await rig.say(Speech.tones(500, 600), into: microphone)
            #expect(try await client.dictation.commit().text == "t500 t600")
            #expect(client.finals == [1])
            #expect(!client.signals.contains { if case .partial = $0 { true } else { false } })
        }
    }

    /// A continuous tone becomes noise for the detector after some seconds: continuous speech is tones with short dips.
    @Test(arguments: [(UInt32(5), 3), (UInt32(20), 1)])
    func speechWithoutAPauseIsCutAtTheLongestSegment(seconds: UInt32, segments: Int) async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig, ["speech-seconds": .uint32(seconds)])
            let words = (0..<30).flatMap { _ in Speech.tone(500, seconds: 0.3) + Speech.silence(0.1) }
            try await rig.say(words, into: microphone)
            let details = try await client.dictation.commit().details
            guard case .array(let found, _)? = details[FinalKey.segments] else {
                throw TestFailure("no segments: \(details)")
            }
            #expect(found.count == segments, "\(found)")
            for case .structure(let segment) in found {
                let bounds = segment.dropFirst().compactMap { Double($0) }
                #expect(bounds.count == 2 && bounds[1] - bounds[0] <= Double(seconds) + 2, "\(segment)")
            }
        }
    }

    @Test func aGrammarAdmitsItsWordsOnly() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn()
            let grammar = "#JSGF V1.0; grammar names; public <names> = (mister | john | dashwood)+;"
            let client = try await TestClient.listening(on: rig, ["grammar": .string(grammar)])
            try await rig.say(Speech.john(), into: microphone)
            let words = try await client.dictation.commit().text.split(separator: " ")
            #expect(!words.isEmpty)
            #expect(Set(words).isSubset(of: ["mister", "john", "dashwood"]), "\(words)")
        }
    }

    /// Without the vocabulary, something else is recognised.
    @Test func recognisesTheVocabulary() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn()
            let speech = try WaveFile.rawSamples(of: "\(WaveFile.speech)/goforward.raw") + Speech.silence(0.5)
            func understood(_ options: [BusText: Value]) async throws -> String {
                let client = try await TestClient.listening(on: rig, options)
                try await rig.say(speech, into: microphone)
                let text = try await client.dictation.commit().text
                try await client.dictation.stop()
                return text
            }
            let entry = Value.structure([.string("tenmeters"), .string("T EH N M IY T ER Z")])
            let grammar = "#JSGF V1.0; grammar g; public <g> = go forward tenmeters;"
            #expect(
                try await understood([
                    "vocabulary": .array([entry], of: "(ss)"), "grammar": .string(grammar),
                ]) == "go forward tenmeters")
            #expect(try await understood([:]) == "go forward ten meters")
        }
    }

    @Test func reportsAlternativesWithScores() async throws {
        try await withRig { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            let speech = try WaveFile.rawSamples(of: "\(WaveFile.speech)/goforward.raw")
            try await rig.say(speech + Speech.silence(0.5), into: microphone)
            let (_, text, details) = try await client.dictation.commit()
            guard case .array(let readings, _)? = details[FinalKey.alternatives] else {
                throw TestFailure("no alternatives: \(details)")
            }
            #expect((1...3).contains(readings.count))
            for case .structure(let reading) in readings {
                #expect(String(reading[0]).map { $0 != text } == true)
                #expect(Double(reading[1]).map { (0...1).contains($0) } == true, "\(reading)")
            }
        }
    }

    @Test func limitsSessions() async throws {
        try await withRig(tones + "session-limit: 2\n") { rig in
            try await rig.plugIn()
            var clients: [TestClient] = []
            for _ in 0..<3 { clients.append(try await TestClient(on: rig)) }
            for client in clients.prefix(2) { _ = try await client.dictation.start(options: [:]) }
            let error = await #expect(throws: DBusError.self) {
                _ = try await clients[2].dictation.start(options: [:])
            }
            #expect(error?.name == DictationInterface.errorName(.limitExceeded))
            try await clients[0].dictation.stop()
            _ = try await clients[2].dictation.start(options: [:])
        }
    }

    @Test func aResumeLimitLeavesTheSessionPaused() async throws {
        try await withRig(tones + "resume-within: {call: 0}\n") { rig in
            try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            client.beginStep()
            let call = try rig.audio.record(role: "Communication")
            try await client.comes("Interrupted call")
            call.kill()
            try await client.signal("paused for good") { signal in
                if case .stateChanged(_, "paused", "resume-limit", _) = signal { true } else { nil }
            }
            #expect(client.story == ["Interrupted call"])
            _ = try await call.exitStatus()
            try await eventually("it listens when it is told to") {
                try await client.dictation.resume()
                return try await client.dictation.getSession()["state"] == .string("listening")
            }
        }
    }

    /// Ten seconds is the minimum setting.
    @Test func anUnusedLingeringSessionPausesAndEnds() async throws {
        try await withRig(tones + "idle-pause: 10\nidle-stop: 12\n") { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig, ["linger": .bool(true)])
            try await rig.say(Speech.tones(500), into: microphone)
            try await client.signal("the words") { _ in client.text(of: 1).contains("t500") ? true : nil }
            let heard = ContinuousClock.now
            try await client.signal("paused for being idle") { signal in
                if case .stateChanged(_, "paused", "idle", _) = signal { true } else { nil }
            }
            let paused = ContinuousClock.now
            #expect(paused - heard > .seconds(8))
            #expect(try await client.final(1) == "t500")
            try await client.signal("the end") { signal in
                if case .stopped(_, "abandoned", _) = signal { true } else { nil }
            }
            #expect(ContinuousClock.now - paused > .seconds(1))
            #expect(try await !rig.isCapturing())
            #expect(client.finals == [1])
        }
    }
}
