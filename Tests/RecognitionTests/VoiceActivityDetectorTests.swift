import DictationTestKit
import Testing

@testable import Recognition

struct VoiceActivityDetectorTests {
    private func run(_ samples: [Int16], chunk: Int = 320, _ gate: VoiceActivityDetector = .init()) -> GateLog
    {
        var gate = gate
        var log = GateLog()
        var rest = samples[...]
        while !rest.isEmpty {
            log.add(gate.process(rest.prefix(chunk)))
            rest = rest.dropFirst(chunk)
        }
        log.add(gate.flush())
        #expect(gate.samplesIn == samples.count)
        #expect(gate.position == samples.count)
        return log
    }

    @Test func theOutputDoesNotDependOnTheSplitting() {
        var generator = SplitMix(seed: 7)
        for round in 0..<20 {
            var samples: [Int16] = []
            for _ in 0..<6 {
                let seconds = Double.random(in: 0.05...0.9, using: &generator)
                samples += Sound.noise(seconds, amplitude: 60, seed: UInt64(round))
                samples += Sound.tone(
                    440, seconds, amplitude: Double.random(in: 200...20000, using: &generator))
            }
            let whole = run(samples, chunk: samples.count)
            // Compared first, because a failed expectation prints both sides, sample by sample.
            let isSame = run(samples, chunk: Int.random(in: 1...4000, using: &generator)) == whole
            #expect(isSame)
        }
    }

    @Test func segmentsAreContiguousAndInPlace() {
        var samples: [Int16] = []
        for index in 0..<8 {
            samples += Sound.noise(0.4, amplitude: 30, seed: UInt64(index)) + Sound.tone(300, 0.5)
        }
        let log = run(samples)
        #expect(log.segments.count == 8)
        for segment in log.segments {
            let isPiece = segment.samples[...] == samples[segment.start..<segment.end]
            #expect(isPiece)
        }
    }

    @Test func keepsSpeechThatStartsWithTheFirstSample() {
        let log = run(Sound.tone(300, 1) + Sound.silence(1))
        #expect(log.segments.count == 1)
        #expect(log.segments.first?.start == 0)
    }

    @Test func hasAPreRollOf200Milliseconds() {
        let log = run(Sound.noise(2, amplitude: 20) + Sound.tone(300, 1))
        #expect((log.segments.first?.start ?? .max) <= 2 * 16000 - 3200)
    }

    @Test func aPauseOf200MillisecondsEndsSpeech() {
        let word = Sound.tone(300, 0.5)
        #expect(run(word + Sound.silence(0.1) + word).segments.count == 1)
        #expect(run(word + Sound.silence(0.3) + word).segments.count == 2)
    }

    @Test func rejectsSilenceAndSteadyNoise() {
        #expect(run(Sound.silence(10)).segments.isEmpty)
        for amplitude in [2.0, 20, 200, 2000] {
            let settled = run(Sound.noise(10, amplitude: amplitude)).segments
            #expect(settled.allSatisfy { $0.end < 4 * 16000 }, "noise of amplitude \(amplitude) comes in")
        }
    }

    @Test func keepsQuietSpeechOverRoomNoise() throws {
        let speech = try Sound.recording("librivox/sense_and_sensibility_01_austen_64kb-0870.wav")
        let quiet = speech.map { $0 / 4 }
        let loud = run(Sound.noise(3, amplitude: 10) + speech).speechSamples
        let weak = run(Sound.noise(3, amplitude: 10) + quiet).speechSamples
        #expect(Double(weak) > 0.95 * Double(loud))
    }

    /// Down to a hundredth: the background of the recording falls below the resolution of 16 bits.
    @Test(arguments: [0.1, 0.03, 0.01]) func keepsSpeechHoweverQuiet(_ gain: Double) throws {
        let speech = try Sound.recording("librivox/sense_and_sensibility_01_austen_64kb-0920.wav")
        let loud = run(Sound.silence(1) + speech + Sound.silence(1)).speechSamples
        let quiet = speech.map { Int16((Double($0) * gain).rounded()) }
        let weak = run(Sound.silence(1) + quiet + Sound.silence(1)).speechSamples
        #expect(Double(weak) > 0.75 * Double(loud), "\(weak) of \(loud)")
    }

    /// Somebody in another room, behind loud speech.
    @Test func doesNotHearAnotherRoom() throws {
        let speech = try Sound.recording("librivox/sense_and_sensibility_01_austen_64kb-0920.wav")
        let far = speech.map { Int16((Double($0) * 0.003).rounded()) }
        let alone = run(Sound.noise(1, amplitude: 2) + speech + Sound.noise(1, amplitude: 2)).segments
        let both = run(
            Sound.noise(1, amplitude: 2) + speech + Sound.noise(1, amplitude: 2) + far
        ).segments
        #expect(both.count == alone.count)
    }

    @Test func anOffsetIsRemovedAndOrdinarySoundIsNotChanged() throws {
        let speech = try Sound.recording("librivox/sense_and_sensibility_01_austen_64kb-0920.wav")
        var remover = OffsetRemover()
        let isSame = remover.remove(from: speech) == speech
        #expect(isSame)
        let shifted = speech.map { Int16(clamping: Int($0) + 6554) }
        var random = SplitMix(seed: 5)
        var whole = OffsetRemover()
        let centred = whole.remove(from: shifted)
        var parted = OffsetRemover()
        var parts: [Int16] = []
        var rest = shifted[...]
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...4000, using: &random))
            rest = rest.dropFirst(part.count)
            parts += parted.remove(from: Array(part))
        }
        let isIndependent = parts == centred
        #expect(isIndependent)
        let mean = centred.dropFirst(1600).reduce(0) { $0 + Int($1) } / (centred.count - 1600)
        #expect(abs(mean) < 60, "\(mean)")
        let detected = run(Array(centred.dropFirst(1600))).speechSamples
        #expect(Double(detected) > 0.9 * Double(run(speech).speechSamples))
    }

    @Test func aClickIsNotSpeech() {
        var samples = Sound.noise(3, amplitude: 10)
        for offset in 0..<160 { samples[20000 + offset] = offset % 2 == 0 ? 12000 : -12000 }
        #expect(run(samples).segments.isEmpty)
    }

    @Test func cutsLongSpeechWithoutLoss() {
        var settings = VoiceActivityDetector.Settings()
        settings.longest = 5
        let syllable = Sound.tone(300, 0.15) + Sound.silence(0.06)
        let samples = (0..<140).flatMap { _ in syllable }
        let segments = run(samples, VoiceActivityDetector(settings: settings)).segments
        #expect(segments.count >= 4)
        #expect(segments.allSatisfy { $0.samples.count <= 7 * 16000 + 160 })
        let isWhole = segments.flatMap(\.samples) == samples
        #expect(isWhole)
    }

    @Test func aNewBlockHasNoPreRollOfTheLast() {
        var gate = VoiceActivityDetector()
        _ = gate.process(Sound.tone(300, 1))
        gate.restart()
        var log = GateLog()
        log.add(gate.process(Sound.tone(500, 0.5)))
        log.add(gate.flush())
        #expect(log.segments.map(\.start) == [0])
        #expect(log.segments.map(\.end) == [8000])
    }
}

/// The events of a detector, assembled.
struct GateLog: Equatable {
    struct Piece: Equatable {
        var start: Int
        var end: Int
        var samples: [Int16]
    }

    private(set) var segments: [Piece] = []
    private var open: Piece?

    var speechSamples: Int { segments.reduce(0) { $0 + $1.samples.count } }

    mutating func add(_ events: [VoiceActivityDetector.Event]) {
        for event in events {
            switch event {
            case .onset(let position):
                #expect(open == nil)
                open = Piece(start: position, end: position, samples: [])
            case .speech(let samples):
                #expect(open != nil)
                open?.samples += samples
            case .cut(let position):
                close(at: position)
                open = Piece(start: position, end: position, samples: [])
            case .end(let position):
                close(at: position)
            }
        }
    }

    private mutating func close(at position: Int) {
        guard var piece = open else { return }
        piece.end = position
        #expect(piece.samples.count == position - piece.start)
        segments.append(piece)
        open = nil
    }
}
