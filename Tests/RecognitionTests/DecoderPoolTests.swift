import DictationCore
import Testing

@testable import Recognition

struct DecoderPoolTests {
    private func dictate(_ catalog: EngineCatalog) -> (Transcriber, EventLog) {
        let log = EventLog()
        return (catalog.open(into: log), log)
    }

    private func wait(_ condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        let bell = Bell()
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            bell.wait(within: 0.005)
        }
        return true
    }

    @Test func `A decoder serves the next session, and is freed when nobody comes`() {
        let pool = DecoderPool(keepWarm: .milliseconds(200))
        let catalog = EngineCatalog(engines: [ScriptedEngine()], pool: pool)
        for _ in 0..<5 {
            let (transcriber, log) = dictate(catalog)
            #expect(log.wait { $0.contains(.ready) })
            transcriber.close()
            #expect(wait { pool.idleCount == 1 })
            #expect(pool.count == 1)
        }
        #expect(wait { pool.count == 0 })
    }

    @Test func `Whoever helps with a recording takes no place from a session`() {
        let catalog = EngineCatalog(engines: [ScriptedEngine()], pool: DecoderPool(limit: 2))
        let logs = [EventLog(), EventLog()]
        let transcribers = logs.map { catalog.open(into: $0, isRecorded: true) }
        for transcriber in transcribers {
            for tone in [500.0, 700, 900] { transcriber.append(Sound.tone(tone, 0.5) + Sound.silence(0.5)) }
            transcriber.endBlock(1)
        }
        for log in logs {
            #expect(log.waitForEnd(of: 1))
            #expect(log.text(of: 1) == "t500 t700 t900")
        }
        for transcriber in transcribers { transcriber.close() }
    }

    @Test func `There are never more decoders than allowed, and a warm one makes room`() {
        let pool = DecoderPool(limit: 2)
        let catalog = EngineCatalog(engines: [ScriptedEngine()], pool: pool)
        let (first, firstLog) = dictate(catalog)
        let (second, secondLog) = dictate(catalog)
        #expect(firstLog.wait { $0.contains(.ready) } && secondLog.wait { $0.contains(.ready) })
        let (_, refused) = dictate(catalog)
        #expect(refused.wait { !$0.isEmpty })
        guard case .engineLost = refused.all.first else {
            Issue.record("the third decoder was not refused")
            return
        }
        first.close()
        #expect(wait { pool.idleCount == 1 })
        let other = EventLog()
        let grammar = TranscriptionRequest(engine: "scripted", language: "en-US", grammar: "another setting")
        let third = catalog.open(grammar) { other.add($0) }
        #expect(other.wait { $0.contains(.ready) })
        #expect(wait { pool.count == 2 })
        second.close()
        third.close()
        #expect(wait { pool.idleCount == 2 })
        pool.freeIdle()
        #expect(wait { pool.count == 0 })
    }

    @Test func `One client does not wait while another's model loads`() {
        let slow = EngineCatalog.scripted(loadSeconds: 5)
        let (waiting, waitingLog) = dictate(slow)
        let (transcriber, log) = dictate(EngineCatalog.scripted())
        transcriber.append(Sound.tone(500, 0.5))
        transcriber.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        #expect(waitingLog.all.isEmpty)
        waiting.close()
    }
}
