import DictationCore
import Testing

@testable import Recognition

struct CepstralMemoryTests {
    private static func key(_ microphone: String) -> AcousticKey {
        .microphone(NodeName(rawValue: microphone), Identity(uid: 1000, kind: .app, id: "org.example.Editor"))
    }

    private func dictate(_ samples: [Int16], _ catalog: EngineCatalog, over key: AcousticKey?) -> String {
        let log = EventLog()
        let transcription = catalog.open(into: log)
        if let key { transcription.acousticsChanged(to: key) }
        transcription.append(samples)
        transcription.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        transcription.close()
        return log.text(of: 1)
    }

    /// The models of PocketSphinx 5 have no initial mean; the library's own default has three numbers.
    @Test func aModelWithoutAnInitialMeanGetsTheUsualOne() {
        let numbers = (1...CepstralMean.size).map { Float($0) / 4 }
        let text = numbers.map { "\($0)" }.joined(separator: ",")
        #expect(CepstralMean(parsing: text).values == numbers)
        let usual = CepstralMean(parsing: "40,3,-1")
        #expect(usual.values.count == CepstralMean.size && usual.values[1] < 0)
        #expect(CepstralMean(parsing: "") == usual)
    }

    @Test func remembersEachMicrophoneBetweenSessions()
        throws
    {
        let memory = CepstralMemory()
        let catalog = EngineCatalog(engines: [PocketSphinxEngine(memory: memory)])
        _ = dictate(try Sound.recording("goforward.raw"), catalog, over: Self.key("desk"))
        #expect(memory.mean(for: Self.key("desk")) != nil)
        #expect(memory.mean(for: Self.key("headset")) == nil)
        let learned = memory.mean(for: Self.key("desk"))
        _ = dictate(try Sound.recording("numbers.raw"), catalog, over: nil)
        #expect(memory.mean(for: Self.key("desk")) == learned)
    }

    @Test func unchangedAcousticsDoNotEndASegment() throws {
        let log = EventLog()
        let transcription = EngineCatalog.scripted().open(into: log)
        transcription.acousticsChanged(to: Self.key("desk"))
        transcription.append(Sound.tone(500, 0.5))
        transcription.acousticsChanged(to: Self.key("desk"))
        transcription.append(Sound.tone(500, 0.5))
        transcription.acousticsChanged(to: Self.key("headset"))
        transcription.append(Sound.tone(500, 0.5))
        transcription.endBlock(1)
        #expect(log.waitForEnd(of: 1))
        #expect(log.segments(of: 1).map(\.end) == [1, 1.5])
    }

    @Test func digitalSilenceDoesNotChangeTheMean() throws {
        let catalog = EngineCatalog(engines: [PocketSphinxEngine()])
        let speech = try Sound.recording("goforward.raw").map { abs($0) < 200 ? 0 : $0 }
        let text = dictate(Sound.silence(1) + speech + Sound.silence(1), catalog, over: nil)
        #expect(text == "go forward ten meters")
    }
}
