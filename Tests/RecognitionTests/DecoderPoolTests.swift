import DictationCore
import EventLoop
import Testing

@testable import Recognition

struct DecoderPoolTests {
    private func dictate(_ catalog: EngineCatalog) -> (Transcription, EventLog) {
        let log = EventLog()
        return (catalog.open(into: log), log)
    }

    @Test func aDecoderServesTheNextSessionAndIsFreedWhenUnused() {
        let pool = DecoderPool(keepWarm: .seconds(600))
        let catalog = EngineCatalog(engines: [ScriptedEngine()], pool: pool)
        for _ in 0..<5 {
            let (transcription, log) = dictate(catalog)
            #expect(log.wait { $0.contains(.ready) })
            transcription.close()
            #expect(waitUntil { pool.idleCount == 1 })
            #expect(pool.count == 1)
        }
        let brief = DecoderPool(keepWarm: .milliseconds(200))
        let (transcription, log) = dictate(EngineCatalog(engines: [ScriptedEngine()], pool: brief))
        #expect(log.wait { $0.contains(.ready) })
        transcription.close()
        #expect(waitUntil { brief.count == 0 })
    }

    /// Otherwise words that come at that moment would need a second decoder.
    @Test func aLeaseHasEndedWhenItsDecoderIsBackInThePool() {
        let pool = DecoderPool(limit: 2)
        let source = DecoderSource(pool: pool, engine: ScriptedEngine(), settings: RecognizerSettings())
        let idle = Lock<[Int]>([])
        for round in 1...100 {
            let lease = DecoderLease(
                isOptional: false, work: { _, _ in },
                ended: { _ in idle.withLock { $0.append(pool.idleCount) } }, refused: { _, _ in })
            #expect(pool.request(lease, of: source))
            #expect(waitUntil { idle.withLock { $0.count } == round })
        }
        #expect(idle.withLock { $0 } == [Int](repeating: 1, count: 100))
        #expect(pool.count == 1)
    }

    /// Sound that stops in the middle of a word holds no decoder that others need, and its word is whole afterwards.
    @Test func soundThatStopsInAWordHoldsNoDecoder() {
        let catalog = EngineCatalog(engines: [ScriptedEngine()], pool: DecoderPool(limit: 2))
        let stalled = (0..<3).map { _ in dictate(catalog) }
        for (transcription, log) in stalled.prefix(2) {
            transcription.append(Sound.silence(0.5) + Sound.tone(500, 0.5))
            #expect(log.wait { $0.contains { if case .hypothesis = $0 { true } else { false } } })
        }
        let (other, log) = stalled[2]
        other.append(Sound.tone(900, 0.5) + Sound.silence(0.5))
        other.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        #expect(log.text(of: 1) == "t900")
        for (transcription, log) in stalled.prefix(2) {
            transcription.append(Sound.tone(500, 0.2) + Sound.tone(700, 0.5) + Sound.silence(0.5))
            transcription.endBlock(1)
            #expect(log.waitForEnd(of: 1))
            #expect(log.text(of: 1) == "t500 t700")
        }
        for (transcription, _) in stalled { transcription.close() }
    }

    @Test func recordingsShareDecoders() {
        let catalog = EngineCatalog(engines: [ScriptedEngine()], pool: DecoderPool(limit: 2))
        let logs = [EventLog(), EventLog()]
        let transcriptions = logs.map { catalog.open(into: $0, isRecorded: true) }
        for transcription in transcriptions {
            for tone in [500.0, 700, 900] { transcription.append(Sound.tone(tone, 0.5) + Sound.silence(0.5)) }
            transcription.endBlock(1)
        }
        for log in logs {
            #expect(log.waitForEnd(of: 1))
            #expect(log.text(of: 1) == "t500 t700 t900")
        }
        for transcription in transcriptions { transcription.close() }
    }

    /// Only the first decoder can be loaded.
    @Test func aRecordingIsDecodedAlsoIfNoHelperCanBeLoaded() {
        let pool = DecoderPool(limit: 4, stuckAfter: .seconds(60), processors: 2)
        #expect(attemptsToDecode(with: pool, of: CountedDecoders(limit: 1), atLeast: 2) == 2)
    }

    @Test(arguments: [(DecoderPool.memoryForHelpers, 2), (DecoderPool.memoryForHelpers - 1, 1)])
    func aRecordingGetsHelpersOnlyIfMemoryIsAvailable(bytes: Int, decoders: Int) {
        let pool = DecoderPool(
            limit: 2, stuckAfter: .seconds(60), processors: 64, availableMemory: { bytes })
        #expect(attemptsToDecode(with: pool, of: CountedDecoders(limit: 2), atLeast: decoders) == decoders)
    }

    /// Decodes a recording of 40 words, and expects its whole text. Returns how many decoders were to be loaded.
    private func attemptsToDecode(with pool: DecoderPool, of engine: CountedDecoders, atLeast count: Int)
        -> Int
    {
        let catalog = EngineCatalog(engines: [engine], pool: pool)
        let log = EventLog()
        let request = TranscriptionRequest(engine: engine.name, language: "en-US", isRecorded: true)
        let transcription = catalog.open(request, into: log)
        let tones = (0..<40).map { 300 + 100 * ($0 % 30) }
        transcription.append(tones.flatMap { Sound.tone(Double($0), 0.5) + Sound.silence(0.5) })
        transcription.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        #expect(log.segments(of: 1).map(\.text) == tones.map { "t\($0)" })
        #expect(!log.all.contains { if case .engineLost = $0 { true } else { false } })
        // A thread may begin after the end of the recording.
        _ = waitUntil { engine.attempts >= count }
        transcription.close()
        return engine.attempts
    }

    @Test(arguments: [5, 20]) func moreSessionsThanDecodersAllGetTheirText(sessions: Int) {
        let pool = DecoderPool(limit: 4)
        let catalog = EngineCatalog(engines: [ScriptedEngine()], pool: pool)
        let dictations = (0..<sessions).map { _ in dictate(catalog) }
        for round in 0..<3 {
            for (transcription, _) in dictations {
                transcription.append(Sound.tone(500 + Double(round) * 200, 0.5) + Sound.silence(0.5))
            }
        }
        for (transcription, _) in dictations { transcription.endBlock(1) }
        for (_, log) in dictations {
            #expect(log.waitForEnd(of: 1))
            #expect(log.text(of: 1) == "t500 t700 t900")
            #expect(!log.all.contains { if case .engineLost = $0 { true } else { false } })
        }
        #expect(pool.count <= 4)
        #expect(waitUntil { pool.idleCount == pool.count })
    }

    @Test func aSilentOrPausedSessionHoldsNoDecoder() {
        let pool = DecoderPool(limit: 1)
        let catalog = EngineCatalog(engines: [ScriptedEngine()], pool: pool)
        let (silent, _) = dictate(catalog)
        silent.append(Sound.tone(500, 0.5) + Sound.silence(1))
        let (paused, _) = dictate(catalog)
        paused.append(Sound.tone(500, 0.5))
        paused.cut()
        #expect(waitUntil { pool.idleCount == 1 })
        let (transcription, log) = dictate(catalog)
        transcription.append(Sound.tone(900, 0.5))
        transcription.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        #expect(log.text(of: 1) == "t900")
        #expect(!log.all.contains(.queued))
        for each in [silent, paused] { each.close() }
    }

    @Test func sessionsWaitForDecodersInOrder() {
        let pool = DecoderPool(limit: 1)
        let engine = HeldEngine(at: .sound)
        let catalog = EngineCatalog(engines: [engine], pool: pool)
        // Endless speech keeps its decoder.
        let (speaking, speakingLog) = dictate(catalog)
        speaking.append(Sound.tone(500, 1))
        #expect(waitUntil { engine.isAtWork })
        let (waiting, waitingLog) = dictate(catalog)
        #expect(waitingLog.wait { $0.contains(.queued) })
        waiting.append(Sound.tone(700, 3))
        waiting.endBlock(1)
        #expect(waitingLog.wait { $0.contains { if case .lag = $0 { true } else { false } } })
        #expect(!waitingLog.all.contains(.ready))
        // Its first pause returns the decoder.
        speaking.append(Sound.silence(1))
        engine.release()
        #expect(waitingLog.waitForEnd(of: 1))
        #expect(waitingLog.text(of: 1) == "t700")
        #expect(waitingLog.all.contains(.ready))
        speaking.append(Sound.tone(900, 0.5))
        speaking.endBlock(1)
        #expect(speakingLog.waitForEnd(of: 1))
        #expect(speakingLog.text(of: 1) == "t500 t900")
        #expect(pool.count == 1)
    }

    @Test func anEndedSessionLeavesTheQueue() {
        let pool = DecoderPool(limit: 1)
        let catalog = EngineCatalog(engines: [ScriptedEngine()], pool: pool)
        let (speaking, speakingLog) = dictate(catalog)
        speaking.append(Sound.tone(500, 1))
        #expect(speakingLog.wait { $0.contains { if case .hypothesis = $0 { true } else { false } } })
        let (waiting, waitingLog) = dictate(catalog)
        #expect(waitingLog.wait { $0.contains(.queued) })
        waiting.close()
        #expect(!pool.hasWaiting)
        speaking.close()
    }

    @Test func keepsToTheLimitOfDecoders() {
        let pool = DecoderPool(limit: 2)
        let catalog = EngineCatalog(engines: [ScriptedEngine()], pool: pool)
        let dictations = (0..<2).map { _ in dictate(catalog) }
        for (transcription, log) in dictations {
            transcription.append(Sound.tone(500, 1))
            #expect(log.wait { $0.contains { if case .hypothesis = $0 { true } else { false } } })
        }
        let other = EventLog()
        let grammar = TranscriptionRequest(engine: "scripted", language: "en-US", grammar: "another setting")
        let third = catalog.open(grammar, into: other)
        #expect(other.wait { $0.contains(.queued) })
        dictations[0].0.close()
        #expect(other.wait { $0.contains(.ready) })
        #expect(pool.count == 2)
        dictations[1].0.close()
        third.close()
        #expect(waitUntil { pool.idleCount == 2 })
        pool.freeIdle()
        #expect(waitUntil { pool.count == 0 })
    }

    @Test func refusesSettingsOfAStuckDecoder() {
        let pool = DecoderPool(limit: 2, stuckAfter: .milliseconds(50))
        let engine = HeldEngine(at: .loading)
        let stuck = EngineCatalog(engines: [engine], pool: pool)
        let (first, firstLog) = dictate(stuck)
        #expect(waitUntil { pool.stuckCount == 1 })
        first.close()
        let (_, log) = dictate(stuck)
        guard case .engineLost(.tooSlow, _) = log.waitForAnswer() else {
            Issue.record("\(log.all)")
            return
        }
        #expect(pool.count == 1)
        #expect(pool.refusal == nil)
        // Other settings still get a decoder.
        let other = EventLog()
        let grammar = TranscriptionRequest(engine: "scripted", language: "en-US", grammar: "another setting")
        let second = stuck.open(grammar, into: other)
        #expect(waitUntil { pool.refusal?.kind == .limitExceeded })
        engine.release()
        #expect(waitUntil { pool.idleCount == 2 })
        #expect(pool.refusal == nil)
        #expect(firstLog.all.isEmpty)
        second.close()
    }

    @Test func loadingAModelDelaysNoOtherClient() {
        let slow = HeldEngine(at: .loading)
        let (waiting, waitingLog) = dictate(EngineCatalog(engines: [slow]))
        let (transcription, log) = dictate(EngineCatalog.scripted())
        transcription.append(Sound.tone(500, 0.5))
        transcription.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        #expect(waitingLog.all.isEmpty)
        waiting.close()
        slow.release()
    }
}

/// The scripted engine, of which only so many recognisers can be loaded.
private final class CountedDecoders: Engine {
    private let limit: Int
    private let loads = Lock(0)

    init(limit: Int) { self.limit = limit }

    var attempts: Int { loads.withLock { $0 } }
    var name: String { "counted" }
    var languages: [String] { ["en-US"] }

    func check(_ settings: RecognizerSettings) {}

    func makeRecognizer(_ settings: RecognizerSettings) throws(RecognitionError) -> any Recognizer {
        let attempt = loads.withLock { loads in
            loads += 1
            return loads
        }
        guard attempt <= limit else {
            throw RecognitionError(.engineUnavailable, "There are \(limit) recognisers.")
        }
        return try ScriptedEngine().makeRecognizer(settings)
    }
}
