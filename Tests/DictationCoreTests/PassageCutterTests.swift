import Testing

@testable import DictationCore

@Suite struct PassageCutterTests {
    /// Speech and pauses in seconds, alternating. The detector's hangover of 0.2 s is part of the speech.
    private func passages(
        _ lengths: [Double], flushes: Bool = true, rules: PassageCutter.Rules = PassageCutter.Rules()
    ) -> [(start: Double, end: Double)] {
        var cutter = PassageCutter(rules: rules)
        var cuts: [PassageCutter.Cut] = []
        var position = 0
        for (index, length) in lengths.enumerated() {
            let end = position + Int(length * 16000)
            if index.isMultiple(of: 2) {
                if let cut = cutter.speechBegan(at: position) { cuts.append(cut) }
                position = end
                cutter.speechEnded(at: position)
            }
            while position < end {
                position = min(position + 1600, end)
                if let cut = cutter.advance(to: position) { cuts.append(cut) }
            }
            if let cut = cutter.advance(to: position) { cuts.append(cut) }
        }
        if flushes, let cut = cutter.flush(at: position) { cuts.append(cut) }
        return cuts.map { (Double($0.start) / 16000, Double($0.end) / 16000) }
    }

    @Test func joinsShortSentences() {
        let cuts = passages([2, 0.5, 3, 1.0, 2, 0.3, 3, 0.5, 1])
        #expect(cuts.count == 2)
        #expect(cuts[0].start == 0)
        // 11.8 s of speech with pauses, and the margin.
        #expect(abs(cuts[0].end - 12.1) < 0.001)
        #expect(abs(cuts[1].start - 12.3) < 0.001)
    }

    @Test func longSilenceAlwaysCloses() {
        #expect(passages([0.5, 1.7]).count == 1)
        #expect(passages([0.5, 1.7], flushes: false).isEmpty)
        #expect(passages([0.5, 1.9], flushes: false).count == 1)
    }

    @Test func anyPauseClosesLongPassages() {
        #expect(passages([7, 0.3, 8, 0.1, 4]).count == 2)
        #expect(passages([7, 0.3, 5, 0.1, 2]).count == 1)
    }

    /// Where the engine works on the open passage again and again. The pause of 0.3 s has 0.2 s of the detector's hangover.
    @Test func livePassagesAreShorter() {
        #expect(passages([6, 0.5, 1], rules: .live).count == 2)
        #expect(passages([5.9, 0.5, 1], rules: .live).count == 1)
        #expect(passages([9.9, 0.15, 1], flushes: false, rules: .live).isEmpty)
        var cutter = PassageCutter(rules: .live)
        #expect(cutter.speechBegan(at: 0) == nil)
        cutter.speechEnded(at: 160_000)
        #expect(cutter.advance(to: 161_400) == nil)
        #expect(cutter.advance(to: 161_600) != nil)
    }

    @Test func speechWithoutPauseIsCutAtADip() {
        var cutter = PassageCutter()
        #expect(cutter.speechBegan(at: 0) == nil)
        #expect(cutter.secondsUntilDip(from: 0) == 20)
        #expect(cutter.speechCut(at: 16000 * 15) == nil)
        #expect(
            cutter.speechCut(at: 16000 * 21) == PassageCutter.Cut(start: 0, end: 16000 * 21, isInSpeech: true)
        )
        #expect(cutter.start == 16000 * 21)
    }

    @Test func speechWithoutDipIsCutWithAnOverlap() {
        var cutter = PassageCutter()
        #expect(cutter.speechBegan(at: 0) == nil)
        let cut = PassageCutter.Cut(start: 0, end: 16000 * 25, isInSpeech: true)
        #expect(cutter.speechCut(at: 16000 * 25) == cut)
        #expect(cutter.start == 16000 * 24)
        cutter.speechEnded(at: 16000 * 27)
        #expect(
            cutter.flush(at: 16000 * 28)
                == PassageCutter.Cut(start: 16000 * 24, end: 16000 * 27 + 4800, overlap: 16000))
        #expect(cutter.flush(at: 16000 * 28) == nil)
    }

    /// Else words that repeat the end of the last text would be dropped.
    @Test func onlyThePassageAfterACutOverlaps() {
        var cutter = PassageCutter()
        _ = cutter.speechBegan(at: 0)
        _ = cutter.speechCut(at: 16000 * 25)
        #expect(cutter.overlaps)
        cutter.speechEnded(at: 16000 * 27)
        #expect(cutter.advance(to: 16000 * 30)?.overlap == 16000)
        #expect(!cutter.overlaps)
        _ = cutter.speechBegan(at: 16000 * 31)
        cutter.speechEnded(at: 16000 * 32)
        #expect(cutter.flush(at: 16000 * 33)?.overlap == 0)
    }

    /// The length is that of the speech, without the pause after it.
    @Test(arguments: [(14.7, false), (15, true)])
    func onlyLongSpeechClosesAtTheNextSpeech(seconds: Double, closes: Bool) {
        var cutter = PassageCutter()
        _ = cutter.speechBegan(at: 0)
        cutter.speechEnded(at: Int(seconds * 16000))
        // 0.5 s with the detector's hangover: a short pause.
        let pause = Int((seconds + 0.31) * 16000)
        #expect((cutter.advance(to: pause) != nil) == closes)
        #expect((cutter.speechBegan(at: pause) != nil) == false)
        #expect((cutter.start == 0) == !closes)
    }

    /// Every tenth of a second of speech is in one passage, or in two if they overlap.
    @Test func allSpeechIsInAPassage() {
        var random = SeededRandom(state: 3)
        for _ in 0..<300 {
            var cutter = PassageCutter()
            var cuts: [PassageCutter.Cut] = []
            var speech: [Int] = []
            var position = 0
            for _ in 0..<20 {
                if let cut = cutter.speechBegan(at: position) { cuts.append(cut) }
                for _ in 0..<Int(random.next() % 400) {
                    speech.append(position)
                    position += 1600
                    // The detector cuts speech at dips, or after 5 s more.
                    let isDip = random.next() % 40 == 0 || cutter.secondsUntilDip(from: position) <= -5
                    if isDip, let cut = cutter.speechCut(at: position) { cuts.append(cut) }
                }
                cutter.speechEnded(at: position)
                for _ in 0..<Int(random.next() % 30) {
                    position += 1600
                    if let cut = cutter.advance(to: position) { cuts.append(cut) }
                }
            }
            if let cut = cutter.flush(at: position) { cuts.append(cut) }
            #expect(
                speech.allSatisfy { tenth in cuts.contains { $0.start <= tenth && tenth + 1600 <= $0.end } })
            for (one, next) in zip(cuts, cuts.dropFirst()) {
                #expect(next.overlap == max(0, one.end - next.start))
                #expect(next.overlap == 0 || one.isInSpeech)
            }
            #expect(cuts.allSatisfy { $0.end - $0.start <= 16000 * 26 })
        }
    }

    @Test func speechInAnOpenPassageMayGoOnForLess() {
        var cutter = PassageCutter()
        #expect(cutter.speechBegan(at: 16000) == nil)
        cutter.speechEnded(at: 16000 * 10)
        #expect(cutter.speechBegan(at: 16000 * 10 + 4800) == nil)
        #expect(abs(cutter.secondsUntilDip(from: 16000 * 10 + 4800) - 10.7) < 0.001)
    }

    @Test func noRequestIsLongerThan28Seconds() {
        var random = SeededRandom(state: 7)
        for _ in 0..<200 {
            var lengths: [Double] = []
            for _ in 0..<40 {
                lengths.append(Double(random.next() % 4900) / 1000 + 0.3)
                lengths.append(Double(random.next() % 1200) / 1000 + 0.05)
            }
            let cuts = passages(lengths)
            #expect(cuts.allSatisfy { $0.end - $0.start <= 28 })
            // Nothing is lost and nothing is sent twice.
            for (one, next) in zip(cuts, cuts.dropFirst()) { #expect(one.end <= next.start + 0.0001) }
        }
    }
}

private struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
