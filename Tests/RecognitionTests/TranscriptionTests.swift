import DictationCore
import DictationTestKit
import EventLoop
import Testing

@testable import Recognition

struct TranscriptionTests {
    @Test func keepsSpeechWhileTheModelLoads() {
        let log = EventLog()
        let transcription = EngineCatalog.scripted(loadSeconds: 0.2).open(into: log)
        transcription.append(Sound.tone(500, 0.5))
        transcription.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        #expect(log.text(of: 1) == "t500")
        #expect(log.all.contains(.ready))
    }

    @Test(arguments: [false, true]) func commandsTakeEffectInOrderWithTheAudio(isRecorded: Bool) {
        let log = EventLog()
        let transcription = EngineCatalog.scripted().open(into: log, isRecorded: isRecorded)
        transcription.append(Sound.tone(500, 0.5))
        transcription.endBlock(1)
        transcription.append(Sound.tone(800, 0.5))
        transcription.cut()
        transcription.append(Sound.tone(1100, 0.5))
        transcription.endBlock(2)
        transcription.append(Sound.tone(1400, 0.5))
        transcription.discardBlock(3)
        transcription.append(Sound.tone(1700, 0.5))
        transcription.endBlock(4)
        #expect(log.waitForEnd(of: 4))
        #expect(log.text(of: 1) == "t500")
        #expect(log.segments(of: 2).map(\.text) == ["t800", "t1100"])
        #expect(log.text(of: 4) == "t1700")
        #expect(log.ends.map(\.block) == [1, 2, 4])
        #expect(log.ends.map(\.duration) == [0.5, 1, 0.5])
    }

    @Test(arguments: [false, true])
    func sendsNoEventsAfterDiscardingOrClosing(
        isRecorded: Bool
    ) {
        var generator = SplitMix(seed: 3)
        let catalog = EngineCatalog.scripted()
        for _ in 0..<50 {
            let log = EventLog()
            let transcription = catalog.open(into: log, isRecorded: isRecorded)
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                transcription.append(Sound.tone(500, 0.1))
            }
            transcription.discardBlock(1)
            let toldOfFirst = log.all.count { $0.block == 1 }
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                transcription.append(Sound.tone(800, 0.1))
            }
            if Bool.random(using: &generator) {
                transcription.endBlock(2)
                #expect(log.waitForEnd(of: 2))
            }
            transcription.close()
            let told = log.all.count
            transcription.append(Sound.tone(500, 1))
            transcription.endBlock(3)
            #expect(log.all.count { $0.block == 1 } == toldOfFirst)
            #expect(log.all.count == told)
        }
    }

    /// What the decoder catches up with after the end is not reported.
    @Test func aSessionThatLagsSendsNoEventsAfterClosing() {
        let pool = DecoderPool(limit: 1)
        let engine = HeldEngine(at: .sound)
        let log = EventLog()
        let transcription = EngineCatalog(engines: [engine], pool: pool).open(into: log)
        transcription.append(Sound.tone(500, 1))
        #expect(waitUntil { engine.isAtWork })
        transcription.append(Sound.tone(500, 2))
        #expect(log.wait { $0.contains { if case .lag = $0 { true } else { false } } })
        transcription.close()
        let told = log.all
        engine.release()
        #expect(waitUntil { pool.idleCount == 1 })
        #expect(log.all == told)
    }

    @Test(arguments: [false, true])
    func accountsForEverySampleAndBlock(isRecorded: Bool) {
        var generator = SplitMix(seed: 11)
        let catalog = EngineCatalog.scripted()
        for _ in 0..<20 {
            let log = EventLog()
            let transcription = catalog.open(into: log, isRecorded: isRecorded)
            var expected: [(BlockNumber, Double)] = []
            var given = 0
            for block in BlockNumber(1)...8 {
                var frames = 0
                for _ in 0..<Int.random(in: 0...30, using: &generator) {
                    let count = Int.random(in: 1...2000, using: &generator)
                    transcription.append(Array(Sound.tone(500, 0.2).prefix(count)))
                    frames += count
                    if Int.random(in: 0..<10, using: &generator) == 0 { transcription.cut() }
                }
                given += frames
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    transcription.discardBlock(block)
                } else {
                    transcription.endBlock(block)
                    expected.append((block, Double(frames) / 16000))
                }
            }
            transcription.endBlock(9)
            expected.append((9, 0))
            #expect(log.waitForEnd(of: 9))
            #expect(transcription.framesIn == given)
            #expect(log.ends.map(\.block) == expected.map(\.0))
            #expect(log.ends.map(\.duration) == expected.map(\.1))
        }
    }

    @Test(arguments: [false, true]) func timesAreOnTheBlocksClock(
        isRecorded: Bool
    ) {
        let log = EventLog()
        let transcription = EngineCatalog.scripted().open(into: log, isRecorded: isRecorded)
        for block in BlockNumber(1)...2 {
            transcription.append(Sound.silence(1) + Sound.tone(500, 0.5))
            transcription.cut()
            transcription.append(Sound.silence(2) + Sound.tone(900, 1) + Sound.silence(1))
            transcription.endBlock(block)
        }
        #expect(log.waitForEnd(of: 2))
        for block in BlockNumber(1)...2 {
            let words = log.segments(of: block).flatMap(\.words)
            #expect(words.map(\.text) == ["t500", "t900"])
            for (word, times) in zip(words, [(1.0, 1.5), (3.5, 4.5)]) {
                #expect(abs(word.start - times.0) < 0.05 && abs(word.end - times.1) < 0.05, "\(word)")
            }
        }
    }

    @Test(arguments: [false, true])
    func marksSegmentsThatWereCut(isRecorded: Bool) throws {
        let log = EventLog()
        let transcription = EngineCatalog.scripted().open(
            into: log, segmentLimit: .seconds(5), isRecorded: isRecorded)
        // Read aloud without a pause for seven seconds.
        let sentence = try Sound.recording("librivox/sense_and_sensibility_01_austen_64kb-0870.wav")
        transcription.append(sentence + Sound.silence(1))
        transcription.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        let cuts = log.segments(of: 1).map(\.isCut)
        #expect(cuts.contains(true), "\(cuts)")
        #expect(cuts.last == false, "\(cuts)")
    }

    @Test(arguments: [false, true])
    func aSegmentIsDecodedAgainAfterOneFailure(isRecorded: Bool) {
        let log = EventLog()
        let catalog = EngineCatalog.scripted(.init(afterSamples: 20000))
        let transcription = catalog.open(into: log, isRecorded: isRecorded)
        transcription.append(
            Sound.tone(500, 0.9) + Sound.silence(0.5) + Sound.tone(700, 0.5) + Sound.silence(0.5))
        transcription.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        #expect(log.text(of: 1) == "t500 t700")
    }

    @Test(arguments: [false, true]) func aSecondFailureLosesTheSegmentOnly(
        isRecorded: Bool
    ) {
        let log = EventLog()
        let transcription = EngineCatalog.scripted(.init(onTone: 3000)).open(
            into: log, isRecorded: isRecorded)
        for tone in [500.0, 3000, 700] {
            transcription.append(Sound.tone(tone, 0.5) + Sound.silence(0.5))
        }
        transcription.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        #expect(log.text(of: 1) == "t500 t700")
        let failures = log.all.count { if case .segmentFailed(1, _) = $0 { true } else { false } }
        #expect(failures == 1)
    }

    @Test(arguments: [false, true]) func aFailureToLoadIsTheOnlyEvent(
        isRecorded: Bool
    ) {
        let log = EventLog()
        let transcription = EngineCatalog.scripted(.init(loading: true)).open(
            into: log, isRecorded: isRecorded)
        transcription.append(Sound.tone(500, 0.5))
        transcription.endBlock(1)
        #expect(log.wait { $0.contains { if case .engineLost = $0 { true } else { false } } })
        #expect(
            log.all.last == .engineLost(.notInstalled, message: "The scripted engine was told not to load."))
        #expect(log.segments(of: 1).isEmpty && log.ends.isEmpty)
        #expect(!transcription.append(Sound.tone(500, 0.5)))
    }

    @Test func refusesUnknownEnginesAndLanguages() {
        let catalog = EngineCatalog.scripted()
        #expect(throws: RecognitionError.self) {
            try catalog.check(TranscriptionRequest(engine: "nonesuch", language: "en-US"))
        }
        #expect(throws: RecognitionError(.unsupportedLanguage, "The scripted engine knows en-US alone.")) {
            try catalog.check(TranscriptionRequest(engine: "scripted", language: "tlh"))
        }
    }

    @Test func losesOneStretchOfTheOldestSpeech() {
        let log = EventLog()
        let engine = HeldEngine(at: .loading)
        let catalog = EngineCatalog(engines: [engine], keptAudio: .seconds(6))
        let transcription = catalog.open(into: log)
        // 4.5 s of speech in parts of 20 ms, without a decoder; silence is not queued.
        var sound: [Int16] = []
        for tone in 1...5 { sound += Sound.tone(Double(tone) * 500, 0.9) + Sound.silence(1) }
        while !sound.isEmpty {
            transcription.append(Array(sound.prefix(320)))
            sound.removeFirst(min(320, sound.count))
        }
        transcription.endBlock(1)
        engine.release()
        #expect(log.waitForEnd(of: 1))
        let losses = log.all.compactMap { if case .overrun(1, let frames) = $0 { frames } else { nil } }
        #expect(losses.count == 1 && losses[0] > 23_000 && losses[0] < 26_000, "\(losses)")
        let tones = log.segments(of: 1).map(\.text)
        #expect(tones.suffix(3) == ["t1500", "t2000", "t2500"], "\(tones)")
        #expect(tones.count <= 4)
        #expect(log.ends.map(\.duration) == [9.5])
    }

    /// The service replaces a recogniser that sends no event for a minute.
    @Test func aRecordingsTextsComeBeforeItsEnd() {
        let log = EventLog()
        let transcription = EngineCatalog.scripted().open(into: log, isRecorded: true)
        for tone in [500, 700, 900] {
            transcription.append(Sound.tone(Double(tone), 0.5) + Sound.silence(0.5))
            #expect(log.wait(upTo: .seconds(10)) { _ in log.text(of: 1).hasSuffix("t\(tone)") })
        }
        transcription.close()
    }

    @Test func reportsTheSilenceLimitOnce() {
        let log = EventLog()
        let request = TranscriptionRequest(engine: "scripted", language: "en-US", silenceLimit: .seconds(1))
        let transcription = EngineCatalog.scripted().open(request, into: log)
        func silences() -> Int { log.all.count { $0 == .silenceReached(1) } }
        transcription.append(Sound.silence(5) + Sound.tone(500, 0.5) + Sound.silence(0.9))
        #expect(silences() == 0)
        // Later, there is sound.
        transcription.cut()
        transcription.append(Sound.tone(500, 0.5) + Sound.silence(0.9))
        #expect(silences() == 0)
        transcription.append(Sound.silence(0.2))
        #expect(silences() == 1)
        transcription.append(Sound.silence(10))
        #expect(silences() == 1)
        transcription.close()
    }

    @Test func aLostEngineReportsUndecodedSpeech() {
        let log = EventLog()
        let engine = HeldEngine(at: .loading, ScriptedEngine(failures: .init(loading: true)))
        let transcription = EngineCatalog(engines: [engine]).open(into: log)
        transcription.append(Sound.tone(500, 1))
        transcription.endBlock(1)
        transcription.append(Sound.tone(500, 0.5))
        engine.release()
        #expect(log.wait { $0.contains { if case .engineLost = $0 { true } else { false } } })
        let losses = log.all.compactMap { event -> [Int]? in
            if case .overrun(let block, let frames) = event { [Int(block), frames] } else { nil }
        }
        #expect(losses == [[1, 16000], [2, 8000]])
    }

    @Test func aRecordingsTextsComeInOrder() {
        var generator = SplitMix(seed: 5)
        let catalog = EngineCatalog.scripted()
        for _ in 0..<5 {
            let log = EventLog()
            let transcription = catalog.open(into: log, isRecorded: true)
            // Long ones take longer, so that later ones finish first.
            let tones = (0..<60).map { 300 + 100 * ($0 % 30) }
            for tone in tones {
                transcription.append(Sound.tone(Double(tone), .random(in: 0.2...3, using: &generator)))
                transcription.append(Sound.silence(0.5))
            }
            transcription.endBlock(1)
            #expect(log.waitForEnd(of: 1))
            #expect(log.segments(of: 1).map(\.text) == tones.map { "t\($0)" })
            transcription.close()
        }
    }
}
